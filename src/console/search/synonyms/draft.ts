/** Draft of a synonym, in the address. */

import type { Synonym } from '../../../../gen/es/personalisation/v1/synonym_pb.js';

export type DraftKey = 'words' | 'to' | 'id' | 'revision';

/** Without `to`, the words are equal; with it, a one-way synonym: `words` also find what `to` finds. */
export type Draft = { words: string[]; to: string[]; id: string; revision: number };

/** Words contain no line break. */
const separator = '\n';

const split = (text = ''): string[] => (text === '' ? [] : text.split(separator));

export function draftOf({ words, to, id = '', revision }: Partial<Record<DraftKey, string>>): Draft {
  return { words: split(words), to: split(to), id, revision: Number(revision ?? 0) };
}

export function addressOf(draft: Draft): Record<DraftKey, string> {
  return {
    words: draft.words.join(separator),
    to: draft.to.join(separator),
    id: draft.id,
    revision: draft.id === '' ? '' : String(draft.revision),
  };
}

export const noDraft: Draft = { words: [], to: [], id: '', revision: 0 };

export const draftLike = ({ synonymId = '', words, from, to, revision = 0 }: Synonym): Draft => ({
  words: words.length > 0 ? words : from,
  to,
  id: synonymId,
  revision,
});

export const isComplete = ({ words, to }: Draft): boolean => words.length > (to.length > 0 ? 0 : 1);

export function synonymOf({ words, to, id }: Draft) {
  const synonymId = id || undefined;
  return to.length > 0 ? { synonymId, from: words, to } : { synonymId, words };
}

const longestId = 60;

/** ID that is readable in the record of changes, with a hash that distinguishes signs, case and direction. */
export function idOf({ words, to, id }: Draft): string {
  if (id !== '') return id;
  const plain = [...words, ...to]
    .join(' ')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-');
  const readable = plain.replaceAll(/^-+|-+$/g, '').slice(0, longestId) || 'synonym';
  return `${readable}-${hashOf(JSON.stringify([words, to]))}`;
}

/** FNV-1a in base 36: at most seven characters. */
function hashOf(text: string): string {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash ^ byte, 0x01000193);
  return (hash >>> 0).toString(36);
}
