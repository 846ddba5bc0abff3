/** Explains the text score of an item, word by word and field by field, with the arithmetic of the scan. */

import { partitionPoint } from '../../runtime/partition-point.ts';
import type { Place, TextIndex } from '../index/index.ts';
import { titleOf } from '../index/streams.ts';
import { impactMask } from '../index/weights.ts';
import { lengthNormalisation, titleField } from '../settings.ts';
import { type Alternative, slotsOfTerms } from '../slot.ts';
import { postingsOf, scoreOfImpact, scoreUnits, topScore, type WeightedSlot } from './postings.ts';
import { createTitleFit } from './title-fit.ts';

export type Contribution = {
  /** The typed word. */
  word: string;
  /** The alternative that filled it. */
  alternative: Alternative;
  score: number;
  /** Shares of the score by field; they add up to it. */
  fields: { field: string; score: number }[];
};

function payloadOf(
  index: TextIndex,
  { segment, ordinal }: Place,
  alternative: Alternative,
): number | undefined {
  const range = postingsOf(index, segment, alternative);
  if (!range) return undefined;
  const { start, end, docs, payloads } = range;
  const at = partitionPoint(start, end, (place) => docs[place] < ordinal);
  return at < end && docs[at] === ordinal ? payloads[at] : undefined;
}

/** Returns BM25F's sum of terms by field, before saturation: a field's share is proportional to it. */
function fieldSums(index: TextIndex, { segment, ordinal }: Place, terms: readonly number[]): number[] {
  const { values } = segment.streams;
  let at = segment.streamStarts[ordinal];
  return index.fields.map(({ weight }, field) => {
    const length = values[at];
    const end = at + 1 + length;
    const norm = 1 - lengthNormalisation + (lengthNormalisation * length) / index.averages[field];
    let count = 0;
    for (at += 1; at < end; at++) if (terms.includes(index.words.termAt(values[at]))) count += 1;
    return ((field === titleField ? Math.min(count, 1) : count) * weight) / norm;
  });
}

function shares(
  index: TextIndex,
  place: Place,
  terms: readonly number[],
  score: number,
): Contribution['fields'] {
  const sums = fieldSums(index, place, terms);
  const total = sums.reduce((all, one) => all + one, 0);
  return index.fields
    .map(({ name }, field) => ({ field: name, score: (score * sums[field]) / total }))
    .filter((share) => share.score > 0);
}

/** Returns the part of each slot that the item fills. */
export function contributionsOf(
  index: TextIndex,
  slots: readonly WeightedSlot[],
  place: Place,
): Contribution[] {
  const contributions: Contribution[] = [];
  const fitOf = createTitleFit(index, slots, slotsOfTerms(index.words, slots));
  const { factor: titleFit } = fitOf(titleOf(place.segment, place.ordinal));
  for (const slot of slots) {
    for (const alternative of slot.alternatives) {
      const payload = payloadOf(index, place, alternative);
      if (payload === undefined) continue;
      const impact = payload & impactMask;
      const score = (titleFit * scoreOfImpact(impact, topScore(slot, alternative))) / scoreUnits;
      const fields = shares(index, place, alternative.terms, score);
      contributions.push({ word: slot.word, alternative, score, fields });
      break;
    }
  }
  return contributions;
}
