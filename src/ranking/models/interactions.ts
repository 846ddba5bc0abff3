/**
 * Training input: subjects' actions on items, with strength and time, in typed arrays.
 *
 * Events are ordered by subject, then time, then arrival: subject s has the range subjectOffsets[s]
 * … subjectOffsets[s + 1], and the same events give the same arrays in any reading order.
 */

import { isImpression, isPurchase } from '../../events/meaning.ts';
import { groupBy, grow } from './arrays/rows.ts';
import { completeWeights, type EventWeights, eventWeight } from './event-weights.ts';
import { createImpressionsBuilder, type Exposures, type Sightings } from './exposures.ts';
import type { ItemKeys } from './item-keys.ts';
import { createOrdersBuilder, type Orders, orderEvents } from './orders.ts';

export type Interactions = {
  itemCount: number;
  subjectCount: number;
  /** Length: subjects + 1. */
  subjectOffsets: Int32Array;
  /** Local item per event. */
  item: Int32Array;
  /** Unix seconds per event. */
  timeSeconds: Float64Array;
  /** Per event, in detail views; limited per subject and item by maxWeightPerItem. */
  weight: Float32Array;
  /** Weight without that limit, which depends on later events. */
  fullWeight: Float32Array;
  /** 1 for purchases [none is known]. */
  bought?: Uint8Array;
  /** Position in `pageTypes` per event, -1 for none. */
  pageType: Int32Array;
  /** Position in `channels` per event, -1 for none. */
  channel: Int32Array;
  pageTypes: readonly string[];
  channels: readonly string[];
  /** Further event properties that form segments. */
  properties: readonly EventProperty[];
  /** Impressions; undefined without any, or when unknown at the time in question. */
  exposures?: Exposures;
  /** The newest single impressions; undefined without any. */
  sightings?: Sightings;
  /** Items bought together; undefined without any, or when unknown at the time in question. */
  orders?: Orders;
};

/** An event property that forms segments. */
export type EventProperty = {
  name: string;
  values: readonly string[];
  /** Position in `values` per event, -1 for none. */
  ofEvent: Int32Array;
};

/** Returns false if no subject has distinct times: the order is then that of arrival. */
export function isTimed({ subjectCount, subjectOffsets, timeSeconds }: Interactions): boolean {
  for (let subject = 0; subject < subjectCount; subject++) {
    const end = subjectOffsets[subject + 1];
    if (end > subjectOffsets[subject] && timeSeconds[end - 1] > timeSeconds[subjectOffsets[subject]])
      return true;
  }
  return false;
}

export type InteractionEvent = {
  /** A user, device or session. Undefined makes the event a subject of its own. */
  subjectKey: string | undefined;
  itemId: string;
  itemType?: string;
  eventType: string;
  /** See events/meaning.ts. */
  qualifier?: string;
  timeSeconds: number;
  pageType?: string;
  channel?: string;
  /** In the order of the builder's `properties`. */
  properties?: readonly (string | undefined)[];
};

export type InteractionsBuilder = {
  /** Returns false for types without weight, impressions and unknown items. */
  add(event: InteractionEvent): boolean;
  finish(): Interactions;
};

export type InteractionsBuilderOptions = {
  itemKeys: ItemKeys;
  eventWeights?: EventWeights;
  /** Names of further event properties that form segments [none]. */
  properties?: readonly string[];
  /** Returns an item's local index or -1. Default: known keys, by id alone without a type. */
  resolveItem?: (itemId: string, itemType?: string) => number;
};

/** Largest weight between a subject and an item (two purchases), against repeated events. */
export const maxWeightPerItem = 10;

/** API clients choose page types and channels; further distinct values count as none. */
export const maxSegmentValues = 512;

export function createInteractionsBuilder(options: InteractionsBuilderOptions): InteractionsBuilder {
  const { itemKeys, eventWeights = completeWeights(), resolveItem = itemKeys.find } = options;
  const subjects = createNumbering();
  const pageTypes = createInterner(maxSegmentValues);
  const channels = createInterner(maxSegmentValues);
  const properties = (options.properties ?? []).map((name) => ({
    name,
    known: createInterner(maxSegmentValues),
    ofEvent: new Int32Array(1024),
  }));
  const impressions = createImpressionsBuilder();
  const orders = createOrdersBuilder();
  const columns = createColumns(1024);
  return {
    add(event) {
      const { subjectKey, timeSeconds } = event;
      const weight = eventWeight(eventWeights, event.eventType, event.qualifier);
      if (weight === 0) return false;
      const item = resolveItem(event.itemId, event.itemType);
      if (item < 0) return false;
      if (isImpression(event.eventType)) {
        if (subjectKey === undefined) return false;
        impressions.show(subjectKey, item, timeSeconds);
        return false;
      }
      if (subjectKey !== undefined && orderEvents.has(event.eventType))
        orders.add(subjectKey, item, timeSeconds);
      const row = reserveRow(columns);
      columns.subject[row] = subjects.numberOf(subjectKey);
      columns.item[row] = item;
      columns.timeSeconds[row] = timeSeconds;
      columns.weight[row] = weight;
      columns.bought[row] = Number(isPurchase(event.eventType));
      columns.pageType[row] = pageTypes.intern(event.pageType);
      columns.channel[row] = channels.intern(event.channel);
      for (let place = 0; place < properties.length; place++) {
        const property = properties[place];
        property.ofEvent = grow(property.ofEvent, columns.count);
        property.ofEvent[row] = property.known.intern(event.properties?.[place]);
      }
      return true;
    },
    finish: () => {
      const ordered = orderColumns(columns, subjects.count(), itemKeys.keys.length, properties);
      return {
        ...ordered,
        pageTypes: pageTypes.keys,
        channels: channels.keys,
        ...impressions.finish({ ...ordered, subjects: subjects.numbers }),
        orders: orders.finish(),
      };
    },
  };
}

type Columns = {
  count: number;
  subject: Int32Array;
  item: Int32Array;
  timeSeconds: Float64Array;
  weight: Float32Array;
  bought: Uint8Array;
  pageType: Int32Array;
  channel: Int32Array;
};

function createColumns(capacity: number): Columns {
  return {
    count: 0,
    subject: new Int32Array(capacity),
    item: new Int32Array(capacity),
    timeSeconds: new Float64Array(capacity),
    weight: new Float32Array(capacity),
    bought: new Uint8Array(capacity),
    pageType: new Int32Array(capacity),
    channel: new Int32Array(capacity),
  };
}

function reserveRow(columns: Columns): number {
  const row = columns.count++;
  columns.subject = grow(columns.subject, columns.count);
  columns.item = grow(columns.item, columns.count);
  columns.timeSeconds = grow(columns.timeSeconds, columns.count);
  columns.weight = grow(columns.weight, columns.count);
  columns.bought = grow(columns.bought, columns.count);
  columns.pageType = grow(columns.pageType, columns.count);
  columns.channel = grow(columns.channel, columns.count);
  return row;
}

/** Numbers keys in order of appearance; each absent key gets a new number. */
function createNumbering() {
  const numbers = new Map<string, number>();
  let count = 0;
  return {
    numbers,
    count: () => count,
    numberOf(key: string | undefined): number {
      if (key === undefined) return count++;
      const known = numbers.get(key);
      if (known !== undefined) return known;
      numbers.set(key, count);
      return count++;
    },
  };
}

function createInterner(maxCount: number) {
  const keys: string[] = [];
  const positions = new Map<string, number>();
  return {
    keys,
    intern(key: string | undefined): number {
      if (key === undefined) return -1;
      const known = positions.get(key);
      if (known !== undefined) return known;
      if (keys.length >= maxCount) return -1;
      const position = keys.push(key) - 1;
      positions.set(key, position);
      return position;
    },
  };
}

type PropertyColumn = { name: string; known: { keys: readonly string[] }; ofEvent: Int32Array };

function orderColumns(
  columns: Columns,
  subjectCount: number,
  itemCount: number,
  properties: readonly PropertyColumn[],
) {
  const { offsets, order } = groupBy(columns.subject.subarray(0, columns.count), subjectCount);
  for (let subject = 0; subject < subjectCount; subject++) {
    sortByTime(order.subarray(offsets[subject], offsets[subject + 1]), columns.timeSeconds);
  }
  const item = order.map((row) => columns.item[row]);
  const fullWeight = Float32Array.from(order, (row) => columns.weight[row]);
  return {
    itemCount,
    subjectCount,
    subjectOffsets: offsets,
    item,
    timeSeconds: Float64Array.from(order, (row) => columns.timeSeconds[row]),
    weight: limitWeights(fullWeight, { item, offsets }, itemCount),
    fullWeight,
    bought: Uint8Array.from(order, (row) => columns.bought[row]),
    pageType: order.map((row) => columns.pageType[row]),
    channel: order.map((row) => columns.channel[row]),
    properties: properties.map(({ name, known, ofEvent }) => ({
      name,
      values: known.keys,
      ofEvent: order.map((row) => ofEvent[row]),
    })),
  };
}

/** Most subjects arrive in order; the check saves nearly every sort. */
function sortByTime(rows: Int32Array, timeSeconds: Float64Array): void {
  for (let i = 1; i < rows.length; i++) {
    if (timeSeconds[rows[i - 1]] > timeSeconds[rows[i]]) {
      rows.sort((a, b) => timeSeconds[a] - timeSeconds[b] || a - b);
      return;
    }
  }
}

/** Weight of an event beyond the limit: tiny, but it keeps its sign. */
const leastWeight = 2 ** -20;

/** Limits each subject's weight per item, spending it from the latest event backwards. */
export function limitWeights(
  fullWeight: Float32Array,
  { item, offsets }: { item: Int32Array; offsets: Int32Array },
  itemCount: number,
): Float32Array {
  const weight = new Float32Array(fullWeight.length);
  const spent = new Float32Array(itemCount);
  for (let subject = 0; subject + 1 < offsets.length; subject++) {
    for (let event = offsets[subject + 1] - 1; event >= offsets[subject]; event--) {
      const size = Math.min(Math.abs(fullWeight[event]), maxWeightPerItem - spent[item[event]]);
      weight[event] = Math.sign(fullWeight[event]) * Math.max(size, leastWeight);
      spent[item[event]] += size;
    }
    for (let event = offsets[subject]; event < offsets[subject + 1]; event++) spent[item[event]] = 0;
  }
  return weight;
}
