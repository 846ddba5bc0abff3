/**
 * Logs of several shapes, generated from a known structure: subjects and items have tastes (vectors), items follow one another,
 * and a few are popular. The next item is drawn from all of these, so no model knows the answers.
 */

import { createChance } from '../../src/deployment/demo/random.ts';
import { createDatasetBuilder } from '../../src/jobs/evaluation/dataset.ts';
import type { LoadedDataset } from '../../src/jobs/evaluation/load-dataset.ts';
import type { ProtocolOptions } from '../../src/jobs/evaluation/protocols.ts';

export type Shape = {
  protocol: ProtocolOptions;
  log: LogShape;
};

type LogShape = {
  subjects: number;
  items: number;
  /** Events of the average subject. */
  events: number;
  /** How unequal subjects are in how much they do: 0 all alike. */
  activityTail?: number;
  /** How unequal items are in how known they are: 0 all alike. */
  popularityTail: number;
  /** Influence of taste relative to chance. */
  taste: number;
  /** Share of the events that are what follows the item before. */
  following?: number;
  /** Share of the events that are what the subject has met before. */
  returning?: number;
  /** Seconds between two events; 0 for a log without times. */
  stepSeconds?: number;
  /** Events at one moment [1]. */
  basket?: number;
  eventTypes?: readonly string[];
  /** Share of each subject's events that is predicted, anywhere in its list: for `fixed`. */
  heldOut?: number;
};

const day = 86_400;
const bought = ['purchase'];
const funnel = ['detail_pageview', 'detail_pageview', 'detail_pageview', 'add_to_cart', 'purchase'];
const fixed = { protocol: 'fixed', testFromSeconds: 1 } as const;

export const shapes: Record<string, Shape> = {
  'dense ratings without times': {
    protocol: fixed,
    log: { subjects: 400, items: 250, events: 60, popularityTail: 0.5, taste: 2, heldOut: 0.2 },
  },
  'sparse lists without times': {
    protocol: fixed,
    log: { subjects: 1_000, items: 800, events: 12, popularityTail: 0.5, taste: 3, heldOut: 0.2 },
  },
  'dense ratings with times': {
    protocol: { protocol: 'next-event', maxQuestions: 2_000 },
    log: { subjects: 300, items: 250, events: 60, popularityTail: 0.5, taste: 2, stepSeconds: day },
  },
  'sparse clicks with times': {
    protocol: { protocol: 'time-split' },
    log: { subjects: 1_000, items: 800, events: 10, popularityTail: 0.5, taste: 3, stepSeconds: 6 * day },
  },
  baskets: {
    protocol: { protocol: 'next-basket', maxQuestions: 2_000 },
    log: {
      ...{ subjects: 200, items: 300, events: 60, popularityTail: 0.7, taste: 2 },
      ...{ returning: 0.6, basket: 5, stepSeconds: 7 * day, eventTypes: bought },
    },
  },
  sessions: {
    protocol: { protocol: 'next-click', maxQuestions: 2_000 },
    log: {
      subjects: 2_500,
      items: 300,
      events: 6,
      popularityTail: 0.8,
      taste: 2,
      following: 0.5,
      stepSeconds: 60,
    },
  },
  'sessions without clocks': {
    protocol: { protocol: 'leave-last-out' },
    log: { subjects: 2_000, items: 300, events: 6, popularityTail: 0.8, taste: 2, following: 0.5 },
  },
  'several types of events': {
    protocol: { protocol: 'next-event', maxQuestions: 2_000 },
    log: {
      ...{ subjects: 500, items: 400, events: 20, popularityTail: 0.7, taste: 2.5 },
      ...{ following: 0.2, returning: 0.2, stepSeconds: 600, eventTypes: funnel },
    },
  },
  'heavy tails': {
    protocol: { protocol: 'time-split' },
    log: {
      ...{ subjects: 800, items: 1_000, events: 15, activityTail: 1, popularityTail: 1.5, taste: 1.5 },
      ...{ stepSeconds: 4 * day },
    },
  },
};

const dimensions = 6;
/** The start of all logs with times, Unix seconds. */
const startSeconds = 1_700_000_000;

/** @param scale How many times as many subjects, and its square root as many items. */
export function makeLog(shape: LogShape, seed: string, scale = 1): LoadedDataset {
  const log = {
    ...shape,
    subjects: Math.round(shape.subjects * scale),
    items: Math.round(shape.items * Math.sqrt(scale)),
  };
  const chance = createChance(seed);
  const items = createTastes(log, chance);
  const builder = createDatasetBuilder();
  for (let subject = 0; subject < log.subjects; subject++) {
    const count = eventCount(log, chance);
    const walk = createWalk(log, items, chance);
    const seconds = startSeconds + Math.floor(chance.fraction() * 60 * day);
    const types = log.eventTypes ?? ['detail_pageview'];
    for (let place = 0; place < count; place++) {
      const isAsked = log.heldOut !== undefined && place > 0 && chance.happens(log.heldOut);
      const occasion = Math.floor(place / (log.basket ?? 1));
      const timeSeconds = log.stepSeconds ? seconds + occasion * log.stepSeconds : Number(isAsked);
      const event = { subjectKey: `s${subject}`, itemId: `i${walk.next()}`, timeSeconds };
      builder.add({ ...event, eventType: chance.pick(types) });
    }
  }
  return builder.finish();
}

type Items = { vectors: Float64Array; known: Float64Array };

function createTastes({ items, popularityTail }: LogShape, chance: ReturnType<typeof createChance>): Items {
  const vectors = Float64Array.from({ length: items * dimensions }, () => normal(chance));
  return { vectors, known: Float64Array.from({ length: items }, () => popularityTail * normal(chance)) };
}

/** At least two, so that there is a history before the predicted event. */
function eventCount({ events, activityTail = 0 }: LogShape, chance: ReturnType<typeof createChance>): number {
  const share = activityTail === 0 ? 0.5 + chance.fraction() : Math.exp(activityTail * normal(chance));
  return Math.max(2, Math.round(events * Math.min(10, share)));
}

/** Returns the items of a subject in order, without repetition except for returning ones. */
function createWalk(
  { items, taste, following = 0, returning = 0 }: LogShape,
  { vectors, known }: Items,
  chance: ReturnType<typeof createChance>,
) {
  const own = Float64Array.from({ length: dimensions }, () => normal(chance) / Math.sqrt(dimensions));
  const worth = known.map((base, item) => Math.exp(base + taste * dot(own, vectors, item)));
  const met: number[] = [];
  const draw = (): number => {
    const last = met.at(-1);
    if (last !== undefined && chance.happens(returning)) return chance.pick(met);
    if (last !== undefined && chance.happens(following)) return (last * 7 + chance.whole(1, 3)) % items;
    return chance.weighted(worth) ?? chance.whole(0, items - 1);
  };
  return {
    next(): number {
      const item = draw();
      if (returning === 0) worth[item] = 0;
      met.push(item);
      return item;
    },
  };
}

function dot(own: Float64Array, vectors: Float64Array, item: number): number {
  return own.reduce((sum, value, place) => sum + value * vectors[item * dimensions + place], 0);
}

/** Box and Muller's. */
function normal(chance: ReturnType<typeof createChance>): number {
  const radius = Math.sqrt(-2 * Math.log(1 - chance.fraction()));
  return radius * Math.cos(2 * Math.PI * chance.fraction());
}
