/** Words typed side by side as one: `note book` for `notebook`; in languages with compounds with linking letters, too. */
import { type Compounds, linkers } from './compounds.ts';

export type Join = { start: number; count: number; text: string; term: number };

export type JoinerOptions = {
  compounds: Compounds;
  /** Terms that the index holds for a word, over its languages. */
  termsOf: (word: string) => number[];
};

const mostJoined = 3;
/** Of longer queries, which are prose, words are only joined as they are. */
const mostLinked = 8;

/** @returns the joined spellings that the index holds */
export function joinsOf(words: readonly string[], { compounds, termsOf }: JoinerOptions): Join[] {
  const joins: Join[] = [];
  for (let start = 0; start < words.length; start++) {
    for (let count = 2; count <= mostJoined && start + count <= words.length; count++) {
      const text = words.slice(start, start + count).join('');
      for (const term of termsOf(text)) joins.push({ start, count, text, term });
    }
    if (compounds.areWritten && words.length <= mostLinked && start + 1 < words.length)
      joins.push(...linked(words[start], words[start + 1], compounds).map((join) => ({ ...join, start })));
  }
  return joins;
}

/** `geburtstag karte` for `Geburtstagskarte`, `arbete byxor` for `arbetsbyxor`. */
function linked(first: string, second: string, compounds: Compounds): Omit<Join, 'start'>[] {
  const firsts = first.endsWith('e') || first.endsWith('a') ? [first, first.slice(0, -1)] : [first];
  return firsts.flatMap((part) =>
    linkers.flatMap((linker) => {
      const text = part + linker + second;
      const term = compounds.termOf(text);
      return term === undefined ? [] : [{ count: 2, text, term }];
    }),
  );
}
