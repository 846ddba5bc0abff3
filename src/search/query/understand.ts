/** From what was typed to what is looked for: words, corrections, slots. */
import type { Corrector } from '../correction/correction.ts';
import { longestQuery } from '../settings.ts';
import type { Slot } from '../slot.ts';
import type { SlotReader } from './slot-reader.ts';

export type Understood = {
  /** The corrected query, or the typed one. */
  query: string;
  /** The words that the catalogue knows. */
  slots: Slot[];
  /** The words it does not. */
  dropped: string[];
  corrections: { from: string; to: string }[];
};

export type Understand = (query: string, autocorrect: boolean) => Understood;

/** Unknown words of a query that are corrected; each costs a walk over the vocabulary, and a text of hundreds is none. */
const mostCorrected = 6;

const isKnown = ({ alternatives }: Slot): boolean => alternatives.length > 0;

export function createUnderstanding({
  reader,
  corrector,
}: {
  reader: SlotReader;
  corrector: Corrector;
}): Understand {
  /** Replaces words that nothing in the catalogue stands for; a query whose words are all known is left as it is. */
  const correct = (words: readonly string[], slots: readonly Slot[]): Understood['corrections'] => {
    const strange = slots.filter((slot) => !isKnown(slot)).slice(0, mostCorrected);
    const unknown = new Set(strange.map(({ word }) => word));
    // `teh matrix` means the matrix; a query of nothing but strange words does not mean words that tell nothing.
    const mayBeStopWord = slots.some(isKnown);
    return words.flatMap((from) => {
      const candidates = unknown.has(from) ? corrector.candidates(from) : [];
      const best = candidates.find(({ word }) => mayBeStopWord || !reader.isStopWord(word));
      return best ? [{ from, to: best.word }] : [];
    });
  };

  return (typed, autocorrect) => {
    const query = typed.slice(0, longestQuery);
    const words = reader.wordsOf(query);
    const slots = reader.slotsOf(words);
    const corrections = autocorrect ? correct(words, slots) : [];
    const replaced = words.map((word) => corrections.find(({ from }) => from === word)?.to ?? word);
    const telling = replaced.filter((word, i) => word === words[i] || !reader.isStopWord(word));
    const used = corrections.length > 0 ? reader.slotsOf(telling) : slots;
    for (const slot of used) if (!isKnown(slot)) reader.guess(slot);
    return {
      query: corrections.length > 0 ? replaced.join(' ') : query,
      slots: used.filter(isKnown),
      dropped: used.filter((slot) => !isKnown(slot)).map(({ word }) => word),
      corrections,
    };
  };
}
