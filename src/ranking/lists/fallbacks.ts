/**
 * Fills a list after the personal candidates: first the declared fallback steps, then the rest of
 * the catalogue.
 *
 * A step reads one or more ordered sequences of items, as far as composing needs them. An item may
 * be in several; the reader keeps its first occurrence.
 */

import { defaultFallbacks, type FallbackStep } from '../../deployment/deployment.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { ServingModels } from '../environment/serving-models.ts';

/** Items read at a time. */
const chunkLength = 512;

/** Items examined for one segment. */
const segmentDepth = 1_000;

export type FallbackRequest = {
  models: ServingModels;
  catalog: Catalog;
  steps: readonly FallbackStep[];
  /** Rows of the trending model's segments, nearest first. */
  segments: readonly number[];
};

export type FallbackSource = FallbackStep | 'rest';

/** The items from `start` to `end` (exclusive). */
export type Part = { source: FallbackSource; items: Int32Array; start: number; end: number };

export type Fallbacks = {
  begin(request: FallbackRequest): void;
  /** Returns the next part, valid until the next call; undefined at the end of the catalogue. */
  next(): Part | undefined;
  /** Returns how many items precede an item at most, provided no segment lists it. */
  placeOf(itemIndex: number): number;
  /** Returns the step that supplies an item, provided no segment does. */
  sourceOf(itemIndex: number): FallbackSource;
};

/** An ordered sequence of items. */
type Stretch = {
  length(request: FallbackRequest): number;
  /** Returns the place of an item; -1 if it is absent. */
  placeOf(itemIndex: number, request: FallbackRequest): number;
  /** Reads the places from `start` to `end`; may fill and return `room`. */
  read(start: number, end: number, request: FallbackRequest, room: Int32Array): Omit<Part, 'source'>;
};

/** Items in demand, counted live. */
const wanted: Stretch = {
  length: ({ models }) => models.wanted().items.length,
  placeOf: (itemIndex, { models }) => models.wanted().items.indexOf(itemIndex),
  read: (start, end, { models }) => ({ items: models.wanted().items, start, end }),
};

/** Trending items as of the training. */
const trending: Stretch = {
  length: ({ models }) => models.trendingCount,
  placeOf(itemIndex, { models }) {
    const place = placeIn(models.fallbackPlaces, itemIndex);
    return place < models.trendingCount ? place : -1;
  },
  read: (start, end, { models }) => ({ items: models.fallbackOrder, start, end }),
};

/** Items added after the training, newest first. */
const arrived: Stretch = {
  length: ({ models, catalog }) => catalog.itemCount - models.mappedCount,
  placeOf: (itemIndex, { models, catalog }) =>
    itemIndex < models.mappedCount ? -1 : catalog.itemCount - 1 - itemIndex,
  read(start, end, { catalog }, room) {
    for (let place = start; place < end; place++) room[place - start] = catalog.itemCount - 1 - place;
    return { items: room, start: 0, end: end - start };
  },
};

/** Items that do not trend, newest first. */
const notTrending: Stretch = {
  length: ({ models }) => models.fallbackOrder.length - models.trendingCount,
  placeOf(itemIndex, { models }) {
    const place = placeIn(models.fallbackPlaces, itemIndex);
    return place < models.trendingCount ? -1 : place - models.trendingCount;
  },
  read: (start, end, { models }) => ({
    items: models.fallbackOrder,
    start: models.trendingCount + start,
    end: models.trendingCount + end,
  }),
};

/** All items known at training, newest first; if their age was not learned, those not trending. */
const known: Stretch = {
  length: (request) => request.models.newest?.order.length ?? notTrending.length(request),
  placeOf: (itemIndex, request) =>
    request.models.newest
      ? placeIn(request.models.newest.places, itemIndex)
      : notTrending.placeOf(itemIndex, request),
  read: (start, end, request, room) =>
    request.models.newest
      ? { items: request.models.newest.order, start, end }
      : notTrending.read(start, end, request, room),
};

type Planned = { source: FallbackSource; stretch: Stretch | undefined };

/** Appends undeclared steps in the default order. An undefined stretch means the segments. */
function planOf(steps: readonly FallbackStep[]): Planned[] {
  const planned = steps.flatMap((source, at) =>
    stretchesOf(source, steps.slice(0, at)).map((stretch) => ({ source, stretch })),
  );
  const undeclared = defaultFallbacks.steps.filter((step) => step !== 'segment' && !steps.includes(step));
  const rest = undeclared.flatMap((step) => stretchesOf(step, [...steps, 'trending']));
  return [...planned, ...rest.map((stretch) => ({ source: 'rest' as const, stretch }))];
}

function stretchesOf(step: FallbackStep, before: readonly FallbackStep[]): (Stretch | undefined)[] {
  if (step === 'segment') return [undefined];
  if (step === 'trending') return [wanted, trending];
  return [arrived, before.includes('trending') ? notTrending : known];
}

/** Creates the fallbacks of one thread. */
export function createFallbacks(): Fallbacks {
  const plans = new Map<readonly FallbackStep[], Planned[]>();
  const segmentItems = new Int32Array(segmentDepth);
  const room = new Int32Array(chunkLength);
  let request: FallbackRequest;
  let plan: Planned[] = [];
  /** Current step of the plan, and the number of its items or segments read. */
  let at = 0;
  let read = 0;

  const planFor = (steps: readonly FallbackStep[]): Planned[] => {
    const made = plans.get(steps) ?? planOf(steps);
    plans.set(steps, made);
    return made;
  };
  const lengthOf = ({ stretch }: Planned) =>
    stretch ? stretch.length(request) : request.segments.length * segmentDepth;
  const readSegment = (): Part => {
    const count = request.models.readSegment(request.segments[read++], segmentItems);
    return { source: 'segment', items: segmentItems, start: 0, end: count };
  };

  return {
    begin(next) {
      request = next;
      plan = planFor(next.steps);
      at = 0;
      read = 0;
    },
    next() {
      for (; at < plan.length; at++, read = 0) {
        const { source, stretch } = plan[at];
        if (!stretch && read < request.segments.length) return readSegment();
        const length = stretch?.length(request) ?? 0;
        if (!stretch || read >= length) continue;
        const start = read;
        read = Math.min(start + chunkLength, length);
        return { source, ...stretch.read(start, read, request, room) };
      }
      return undefined;
    },
    placeOf(itemIndex) {
      let before = 0;
      for (const planned of plan) {
        const place = planned.stretch?.placeOf(itemIndex, request) ?? -1;
        if (place >= 0) return before + place;
        before += lengthOf(planned);
      }
      return before;
    },
    sourceOf(itemIndex) {
      const planned = plan.find(({ stretch }) => (stretch?.placeOf(itemIndex, request) ?? -1) >= 0);
      return planned?.source ?? 'rest';
    },
  };
}

/** Returns -1 for an item without a place. */
function placeIn(places: Int32Array, itemIndex: number): number {
  return itemIndex < places.length ? places[itemIndex] : -1;
}
