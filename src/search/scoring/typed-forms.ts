/**
 * The very forms that were typed: `aliens` means Aliens rather than Alien, though both have one term.
 *
 * What stems join is found together, but of texts that fit equally the one whose title has the words as they were typed is
 * the likelier meant. A factor over the whole text score, so that its parts still add up.
 */
import type { Place, TextIndex } from '../index/index.ts';
import type { Slot } from '../slot.ts';

/** What a title with all words as typed gains; flat from 0.1 to 0.3 on product titles and on abstracts. */
const typedShare = 0.15;

/** Whether one of the words stands in values[from] … values[to - 1]. */
function holdsAny(values: Int32Array, from: number, to: number, words: readonly number[]): boolean {
  for (let at = from; at < to; at++)
    for (let w = 0; w < words.length; w++) if (values[at] === words[w]) return true;
  return false;
}

/** The factor of an item's text score, 1 to 1.15. */
export function createTypedForms(
  index: TextIndex,
  slots: readonly Pick<Slot, 'word'>[],
): (place: Place) => number {
  const forms = slots.map(({ word }) => index.words.find(word));
  return ({ segment, ordinal }) => {
    const { values } = segment.streams;
    const start = segment.streamStarts[ordinal] + 1;
    const end = start + values[start - 1];
    let typed = 0;
    for (let slot = 0; slot < forms.length; slot++) if (holdsAny(values, start, end, forms[slot])) typed += 1;
    return 1 + (typedShare * typed) / Math.max(1, forms.length);
  };
}
