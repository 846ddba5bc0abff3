/** Divides a subject's contacts into visits. */

import type { Interactions } from './interactions.ts';

/** Pause that begins a new visit. */
export const visitGapSeconds = 30 * 60;

/** Yields ranges of a subject's events without a pause above the gap, such as its visits. */
export function* runsOf(
  { subjectCount, subjectOffsets, timeSeconds }: Interactions,
  gapSeconds = visitGapSeconds,
): Generator<[start: number, end: number, subject: number]> {
  for (let subject = 0; subject < subjectCount; subject++) {
    let start = subjectOffsets[subject];
    for (let event = start + 1; event < subjectOffsets[subject + 1]; event++) {
      if (timeSeconds[event] - timeSeconds[event - 1] <= gapSeconds) continue;
      yield [start, event, subject];
      start = event;
    }
    if (start < subjectOffsets[subject + 1]) yield [start, subjectOffsets[subject + 1], subject];
  }
}

/** Visits with an item before the current one. */
export type Rhythm = {
  visits: number;
  /** All visits of the subject since the first of them, with it. */
  since: number;
  /** From the first to the last of them. */
  spanSeconds: number;
  /** From the last to now. */
  idleSeconds: number;
};

/** The item was met in the current visit already. */
export const metNow: Rhythm = { visits: 0, since: 0, spanSeconds: 0, idleSeconds: 0 };

/**
 * Returns a function that adds a contact to the rhythm of its item, for contacts of one subject, the
 * newest first. Contacts of the current visit leave no rhythm; `contacts` of 0 change nothing.
 */
export function createRhythms(nowSeconds: number) {
  let visit = 0;
  let laterSeconds = nowSeconds;
  return (atSeconds: number, contacts: number, known: Rhythm | undefined): Rhythm | undefined => {
    if (laterSeconds - atSeconds > visitGapSeconds) visit += 1;
    laterSeconds = atSeconds;
    if (contacts === 0 || known === metNow) return known;
    if (visit === 0) return metNow;
    if (!known) return { visits: 1, since: visit, spanSeconds: 0, idleSeconds: nowSeconds - atSeconds };
    if (known.since !== visit) known.visits += 1;
    known.since = visit;
    known.spanSeconds = nowSeconds - known.idleSeconds - atSeconds;
    return known;
  };
}
