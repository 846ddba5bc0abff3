/** A synonym as it is proposed on the page; the address holds all of it. */

import type { Synonym } from '../../../../gen/es/personalisation/v1/synonym_pb.js';

export type DraftKey = 'words' | 'to' | 'id' | 'revision';

/** Without `to` each of the words stands for each other; with it they find what those find as well. */
export type Draft = { words: string[]; to: string[]; id: string; revision: number };

/** No word of a query has a line end. */
const separator = '\n';

const listed = (text = ''): string[] => (text === '' ? [] : text.split(separator));

export function draftOf({ words, to, id = '', revision }: Partial<Record<DraftKey, string>>): Draft {
  return { words: listed(words), to: listed(to), id, revision: Number(revision ?? 0) };
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

export const isWhole = ({ words, to }: Draft): boolean => words.length > (to.length > 0 ? 0 : 1);

export function synonymOf({ words, to, id }: Draft) {
  const synonymId = id || undefined;
  return to.length > 0 ? { synonymId, from: words, to } : { synonymId, words };
}

const longestId = 60;

/** Readable in the record of changes; signs, cases and what stands on which side tell two apart as well. */
export function idOf({ words, to, id }: Draft): string {
  if (id !== '') return id;
  const plain = [...words, ...to]
    .join(' ')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-');
  const readable = plain.replaceAll(/^-+|-+$/g, '').slice(0, longestId) || 'synonym';
  return `${readable}-${markOf(JSON.stringify([words, to]))}`;
}

/** Seven letters and digits at most, others for other texts (FNV-1a). */
function markOf(text: string): string {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash ^ byte, 0x01000193);
  return (hash >>> 0).toString(36);
}
