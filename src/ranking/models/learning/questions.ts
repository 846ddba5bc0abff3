/**
 * Questions with known answers: a subject's next items, given its earlier events.
 *
 * Some events are held out as answers; models train on the others. The split is by time, so that
 * models learn nothing from the future, or by subject for events without times.
 */

import { mixed } from '../arrays/mixed.ts';
import { exposuresBefore } from '../exposures.ts';
import { type Interactions, limitWeights } from '../interactions.ts';
import { keepRecents, type Recent } from '../query.ts';
import { similarTime } from '../time-of-day.ts';
import { createRhythms, visitGapSeconds } from '../visits.ts';
import type { ListPart } from './list-order.ts';

export type Question = {
  subject: number;
  /** Position in the source: earlier events of the subject are its history. */
  event: number;
  /** Distinct local items, new to the subject unless repetition counts. */
  answers: Int32Array;
  /** End of the list, or any part; set if the future part is unknown: parts then count equally. */
  part?: ListPart;
};

/**
 * Number of questions: one per subject about all later events; one per event; one per occasion,
 * about its events; or one about the last event.
 */
export type AskPer = 'subject' | 'event' | 'occasion' | 'last';

/** Excluded from answers and candidates: all earlier items, the last (on display), or none. */
export type Exclusion = 'met' | 'last' | 'none';

export type Asking = {
  per: AskPer;
  excluded: Exclusion;
  /** Next items that are answers; for `occasion` those of the occasion. */
  horizon: number;
  /** Limit of questions, chosen evenly. */
  maxQuestions?: number;
  /** Selects the chosen questions [0]. */
  seed?: number;
  /** Ask equally about beginnings of visits and later events, in time order [false]. */
  byVisit?: boolean;
};

/** Pause that begins a new occasion. */
const occasionSeconds = 60;

export type EventRange = { fromSeconds: number; untilSeconds: number };

/** Asks about events in a time range; all earlier events are history. */
export function askAbout(source: Interactions, range: EventRange, asking: Asking): Question[] {
  const questions: Question[] = [];
  for (let subject = 0; subject < source.subjectCount; subject++) {
    askSubject(source, subject, range, asking, questions);
  }
  if (!asking.byVisit) return thin(questions, asking);
  const chosen = thinByKind(source, questions, asking);
  return chosen.sort((a, b) => source.timeSeconds[a.event] - source.timeSeconds[b.event]);
}

/** Returns whether a question is about a visit's first event. */
export function isReturn({ timeSeconds }: Interactions, { event }: Pick<Question, 'event'>): boolean {
  return timeSeconds[event] - timeSeconds[event - 1] > visitGapSeconds;
}

/** Selects half of the questions from beginnings of visits, if enough of each kind exist. */
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

/** Asks each subject about its last event, if it qualifies as an answer. */
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

/** Returns all events that no question asks about. */
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

/** Returns the time with about `share` of the events after it. */
export function momentBefore(interactions: Interactions, share: number): number {
  const sorted = interactions.timeSeconds.slice().sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * (1 - share)))] ?? 0;
}

/** Returns the same subjects and items, with events and impressions before a time. */
export function eventsBefore(interactions: Interactions, untilSeconds: number): Interactions {
  const { exposures, timeSeconds } = interactions;
  return {
    ...selectEvents(interactions, (event) => timeSeconds[event] < untilSeconds),
    exposures: exposures && exposuresBefore(exposures, untilSeconds),
  };
}

/**
 * Returns the same subjects and items with chosen events only. Leaves out impressions and orders,
 * which may reveal the others.
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
    bought: interactions.bought && Uint8Array.from(events, (event) => interactions.bought![event]),
    pageType: events.map((event) => interactions.pageType[event]),
    channel: events.map((event) => interactions.channel[event]),
    properties: interactions.properties.map(({ ofEvent, ...property }) => ({
      ...property,
      ofEvent: events.map((event) => ofEvent[event]),
    })),
  };
}

/** Events per history, as in the service; more if more interests are needed. */
const maxHistoryEvents = 300;

/** Returns a subject's interests before an event: newest first, each item once, as in serving. */
export function recentsBefore(
  { subjectOffsets, item, fullWeight, timeSeconds }: Interactions,
  { subject, event }: Question,
  maxRecents: number,
): Recent[] {
  const byItem = new Map<number, Recent & { contacts: number }>();
  const oldest = Math.max(subjectOffsets[subject], event - Math.max(maxHistoryEvents, maxRecents));
  const rhythmAt = createRhythms(timeSeconds[event]);
  for (let at = event - 1; at >= oldest; at--) {
    const contacts = fullWeight[at] > 0 ? 1 : 0;
    const known = byItem.get(item[at]);
    const rhythm = rhythmAt(timeSeconds[at], contacts, known?.rhythm);
    if (known !== undefined) {
      known.weight += fullWeight[at];
      known.contacts += contacts;
      known.rhythm = rhythm;
    } else {
      const ageSeconds = timeSeconds[event - 1] - timeSeconds[at];
      const sameTime = similarTime(timeSeconds[at], timeSeconds[event] ?? timeSeconds[event - 1]);
      const facts = { ageSeconds, weight: fullWeight[at], contacts, sameTime, rhythm };
      byItem.set(item[at], { itemIndex: item[at], ...facts });
    }
  }
  return keepRecents(
    [...byItem.values()].filter(({ weight: sum }) => sum > 0),
    maxRecents,
  );
}

/** Returns local items excluded from answers and lists; `met` includes items taken back. */
export function excludedAt(
  { subjectOffsets, item }: Interactions,
  { subject, event }: Pick<Question, 'subject' | 'event'>,
  excluded: Exclusion,
): Int32Array {
  const start = { met: subjectOffsets[subject], last: event - 1, none: event }[excluded];
  return item.subarray(start, event);
}
