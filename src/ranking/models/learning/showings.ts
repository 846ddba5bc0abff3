/** Items a subject had been shown and ignored at the time of a question. */

import { gatherIgnored, type Ignored, type Showing } from '../ignored.ts';
import type { Interactions } from '../interactions.ts';
import type { Question } from './questions.ts';

/**
 * Excludes impressions of the current visit. Answers lose their own impression, so the items shown
 * beside them would seem ignored only for not being the answer.
 */
const visitSeconds = 1_800;

/** Latest impressions used, as many as the service keeps per history. */
const maxShowings = 300;

export function ignoredBefore(
  source: Interactions,
  { subject, event }: Pick<Question, 'subject' | 'event'>,
): Ignored[] {
  const { sightings, subjectOffsets, item, timeSeconds } = source;
  if (sightings === undefined) return [];
  const nowSeconds = timeSeconds[Math.min(event, subjectOffsets[subject + 1] - 1)];
  const showings: Showing[] = [];
  for (let row = sightings.subjectOffsets[subject + 1] - 1; row >= sightings.subjectOffsets[subject]; row--) {
    if (sightings.timeSeconds[row] > nowSeconds - visitSeconds) continue;
    showings.push({ itemIndex: sightings.item[row], atSeconds: sightings.timeSeconds[row] });
    if (showings.length === maxShowings) break;
  }
  if (showings.length === 0) return [];
  const contacts = new Map<number, number>();
  for (let at = subjectOffsets[subject]; at < event; at++) contacts.set(item[at], timeSeconds[at]);
  return gatherIgnored(showings, (itemIndex) => contacts.get(itemIndex), nowSeconds);
}
