/**
 * Questions whose answers are known: what did a subject turn to, given all it had done before?
 *
 * Parts of the events are held back as answers; models train on the others. The split is by time, so nothing from the
 * future teaches a model what it is asked, and by subject where the events carry no time.
 */

import { mixed } from '../arrays/mixed.ts';
import { exposuresBefore } from '../exposures.ts';
import { type Interactions, limitWeights } from '../interactions.ts';
import { keepRecents, type Recent } from '../query.ts';
import type { ListPart } from './list-order.ts';

export type Question = {
  subject: number;
  /** Event in the source before which everything is known; the subject's history is what it did before. */
  event: number;
  /** Distinct local items, none of them known to the subject unless repetition counts. */
  answers: Int32Array;
  /** Which end of its list a question is about, or any part, where nobody knows what will be asked: they then count alike. */
  part?: ListPart;
};

/**
 * When a subject is asked: once, about all that came after; for every event; once per occasion, for all that was done at one
 * moment; about its last event, whenever that was.
 */
export type AskPer = 'subject' | 'event' | 'occasion' | 'last';

/** What is no answer and no candidate: what the subject met before, what it met last (it is on display), or nothing. */
export type Exclusion = 'met' | 'last' | 'none';

export type Asking = {
  per: AskPer;
  excluded: Exclusion;
  /** The next so many items are answers; for `occasion` those of the occasion. */
  horizon: number;
  /** Evenly chosen when there are more. */
  maxQuestions?: number;
  /** Which ones are chosen [0]. */
  seed?: number;
  /** Ask about beginnings of visits and about what follows alike, in the order of time [false]. */
  byVisit?: boolean;
};

/** A break of this length begins a new occasion. */
const occasionSeconds = 60;

export type EventRange = { fromSeconds: number; untilSeconds: number };

/** Asks about events of a range of time; everything a subject did before counts as known. */
export function askAbout(source: Interactions, range: EventRange, asking: Asking): Question[] {
  const questions: Question[] = [];
  for (let subject = 0; subject < source.subjectCount; subject++) {
    askSubject(source, subject, range, asking, questions);
  }
  if (!asking.byVisit) return thin(questions, asking);
  const chosen = thinByKind(source, questions, asking);
  return chosen.sort((a, b) => source.timeSeconds[a.event] - source.timeSeconds[b.event]);
}

/** A subject who did nothing for so long begins a new visit. */
export const visitGapSeconds = 30 * 60;

/** Whether a question is about the first event of a visit. */
export function isReturn({ timeSeconds }: Interactions, { event }: Pick<Question, 'event'>): boolean {
  return timeSeconds[event] - timeSeconds[event - 1] > visitGapSeconds;
}

/** Half of the questions are about the beginnings of visits, as far as there are so many of each kind. */
function thinByKind(source: Interactions, questions: Question[], asking: Asking): Question[] {
  const { maxQuestions = Number.POSITIVE_INFINITY } = asking;
  if (questions.length <= maxQuestions) return questions;
  const returning = questions.filter((question) => isReturn(source, question));
  const within = questions.filter((question) => !isReturn(source, question));
  const half = maxQuestions / 2;
  const some = Math.round(Math.min(returning.length, Math.max(half, maxQuestions - within.length)));
  return [
    ...thin(returning, { ...asking, maxQuestions: some }),
    ...thin(within, { ...asking, maxQuestions: maxQuestions - some }),
  ];
}

/** Asks each subject about its last event, where that is an answer. */
export function askAboutLast(source: Interactions, asking: Asking): Question[] {
  const { excluded } = asking;
  const { subjectCount, subjectOffsets, item, weight } = source;
  const questions: Question[] = [];
  for (let subject = 0; subject < subjectCount; subject++) {
    const event = subjectOffsets[subject + 1] - 1;
    if (event <= subjectOffsets[subject] || weight[event] <= 0) continue;
    if (excludedAt(source, { subject, event }, excluded).includes(item[event])) continue;
    questions.push({ subject, event, answers: Int32Array.of(item[event]) });
  }
  return thin(questions, asking);
}

/** What is known when the events asked about are not: all others. */
export function withoutAsked(source: Interactions, questions: readonly Question[]): Interactions {
  const asked = new Set(questions.map(({ event }) => event));
  return selectEvents(source, (event) => !asked.has(event));
}

function askSubject(
  source: Interactions,
  subject: number,
  { fromSeconds, untilSeconds }: EventRange,
  asking: Asking,
  questions: Question[],
): void {
  const { subjectOffsets, timeSeconds } = source;
  const end = subjectOffsets[subject + 1];
  let asked = false;
  if (asking.per === 'subject' && !(timeSeconds[subjectOffsets[subject]] < fromSeconds)) return;
  for (let event = subjectOffsets[subject]; event < end; event++) {
    const time = timeSeconds[event];
    if (time < fromSeconds || time >= untilSeconds || event === subjectOffsets[subject]) continue;
    if (asking.per === 'subject' && asked) return;
    if (asking.per === 'occasion' && time - timeSeconds[event - 1] <= occasionSeconds) continue;
    asked = true;
    const answers = answersFrom(source, subject, event, asking, untilSeconds);
    if (answers.length > 0) questions.push({ subject, event, answers });
  }
}

function answersFrom(
  source: Interactions,
  subject: number,
  event: number,
  { per, excluded, horizon }: Asking,
  untilSeconds: number,
): Int32Array {
  const { subjectOffsets, timeSeconds, item, weight } = source;
  const known = new Set(excludedAt(source, { subject, event }, excluded));
  const answers = new Set<number>();
  for (let at = event; at < subjectOffsets[subject + 1] && answers.size < horizon; at++) {
    if (timeSeconds[at] >= untilSeconds) break;
    if (per === 'occasion' && at > event && timeSeconds[at] - timeSeconds[at - 1] > occasionSeconds) break;
    if (weight[at] > 0 && !known.has(item[at])) answers.add(item[at]);
    else if (per === 'event' && horizon === 1) break;
  }
  return Int32Array.from(answers);
}

function thin(
  questions: Question[],
  { maxQuestions = Number.POSITIVE_INFINITY, seed = 0 }: Pick<Asking, 'maxQuestions' | 'seed'>,
): Question[] {
  if (questions.length <= maxQuestions) return questions;
  const stride = questions.length / maxQuestions;
  const start = mixed(seed) / 2 ** 32;
  return Array.from({ length: maxQuestions }, (_, place) => questions[Math.floor((place + start) * stride)]);
}

/** The moment that leaves about `share` of the events behind it. */
export function momentBefore(interactions: Interactions, share: number): number {
  const sorted = interactions.timeSeconds.slice().sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * (1 - share)))] ?? 0;
}

/** The same subjects and items with what happened, and what was shown, before a moment. */
export function eventsBefore(interactions: Interactions, untilSeconds: number): Interactions {
  const { exposures, timeSeconds } = interactions;
  return {
    ...selectEvents(interactions, (event) => timeSeconds[event] < untilSeconds),
    exposures: exposures && exposuresBefore(exposures, untilSeconds),
  };
}

/**
 * The same subjects and items with the chosen events only; what was shown may have been answered by others, and what was bought
 * together may be what is asked about, so they are left out.
 */
export function selectEvents(interactions: Interactions, keep: (event: number) => boolean): Interactions {
  const { subjectCount, subjectOffsets } = interactions;
  const offsets = new Int32Array(subjectCount + 1);
  const kept: number[] = [];
  for (let subject = 0; subject < subjectCount; subject++) {
    for (let event = subjectOffsets[subject]; event < subjectOffsets[subject + 1]; event++) {
      if (keep(event)) kept.push(event);
    }
    offsets[subject + 1] = kept.length;
  }
  const events = Int32Array.from(kept);
  const item = events.map((event) => interactions.item[event]);
  const fullWeight = Float32Array.from(events, (event) => interactions.fullWeight[event]);
  return {
    ...interactions,
    exposures: undefined,
    orders: undefined,
    subjectOffsets: offsets,
    item,
    timeSeconds: Float64Array.from(events, (event) => interactions.timeSeconds[event]),
    weight: limitWeights(fullWeight, { item, offsets }, interactions.itemCount),
    fullWeight,
    pageType: events.map((event) => interactions.pageType[event]),
    channel: events.map((event) => interactions.channel[event]),
    properties: interactions.properties.map(({ ofEvent, ...property }) => ({
      ...property,
      ofEvent: events.map((event) => ofEvent[event]),
    })),
  };
}

/** As many events of a history as the service keeps; more where more interests are asked for. */
const maxHistoryEvents = 300;

/** What a subject was interested in before an event: newest first, each item once, as the service gathers it. */
export function recentsBefore(
  { subjectOffsets, item, fullWeight, timeSeconds }: Interactions,
  { subject, event }: Question,
  maxRecents: number,
): Recent[] {
  const byItem = new Map<number, Recent & { contacts: number }>();
  const oldest = Math.max(subjectOffsets[subject], event - Math.max(maxHistoryEvents, maxRecents));
  for (let at = event - 1; at >= oldest; at--) {
    const contacts = fullWeight[at] > 0 ? 1 : 0;
    const known = byItem.get(item[at]);
    if (known !== undefined) {
      known.weight += fullWeight[at];
      known.contacts += contacts;
    } else {
      const ageSeconds = timeSeconds[event - 1] - timeSeconds[at];
      byItem.set(item[at], { itemIndex: item[at], ageSeconds, weight: fullWeight[at], contacts });
    }
  }
  return keepRecents(
    [...byItem.values()].filter(({ weight: sum }) => sum > 0),
    maxRecents,
  );
}

/** Local items that neither may be asked for nor listed; everything met includes what was taken back. */
export function excludedAt(
  { subjectOffsets, item }: Interactions,
  { subject, event }: Pick<Question, 'subject' | 'event'>,
  excluded: Exclusion,
): Int32Array {
  const start = { met: subjectOffsets[subject], last: event - 1, none: event }[excluded];
  return item.subarray(start, event);
}
