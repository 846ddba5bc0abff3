/**
 * Collects the increments that events add to the counts, and encodes them for
 * sql/aggregate-events.sql.
 *
 * The result does not depend on the order of arrival. A purchase is attributed to the last click of
 * the same subject on the item, at or before the purchase and within the window. Subjects match by
 * user id if both events have one, else by device id. The purchase counts under the click's
 * dimensions; for clicks at the same time, the largest combination id wins. Clicks may arrive after
 * their purchase, so each click also searches for purchases.
 */

import {
  additionsOf,
  dimensionsOf,
  isClick,
  isOfImpressionSet,
  isPurchase,
  isSearchClick,
  purchaseOf,
  refundType,
} from '../../events/meaning.ts';
import { getOrAdd } from '../../ranking/runtime/get-or-add.ts';
import { anonymousDevice } from '../../ranking/subject.ts';
import { encodeValues } from '../encode-values.ts';
import type { EventRow } from '../event-row.ts';
import { storable } from '../storable.ts';
import {
  type Combination,
  combinationColumns,
  combine,
  type DimensionValues,
  everyGrouping,
  type LimitNames,
  mostCombinationsPerKey,
  segmentsText,
} from './metric-dimensions.ts';
import { type DeviceMeasure, deviceMeasures, type Measure } from './metric-measures.ts';

const hourMs = 3_600_000;
const defaultWindowMs = 24 * hourMs;

/** Returns the longest time from a click to an attributed purchase, in milliseconds. */
export type AttributionWindow = (environment: string) => number;

export const defaultAttributionWindow: AttributionWindow = () => defaultWindowMs;

/** Hours since 1970, UTC. */
export function hourOf(occurredAtMs: number): number {
  return Math.floor(occurredAtMs / hourMs);
}

/** Increments of a `metric_hours` row, by column name. For `counted` see metric-dimensions.ts. */
export type HourSums = { hour: number; dimension_id: number; counted: string } & Partial<
  Record<Measure, number>
>;

/** A key that counts once an hour, with the combinations in which it occurs. */
export type SeenKey = {
  environment: string;
  /** User or impression set. */
  kind: 'u' | 's';
  hour: number;
  key: string;
  dimensions: number[];
};

export type SeenDevice = {
  environment: string;
  hour: number;
  device_id: string;
  dimensions: number[];
} & Partial<Record<DeviceMeasure, number>>;

/** A click or purchase, as attribution matches them; `at` in milliseconds since 1970. */
type ItemMoment = {
  environment: string;
  user_id?: string;
  device_id?: string;
  item_id: string;
  item_type: string;
  /** The item, if its group stands for it. */
  variant_id?: string;
  at: number;
};
/** `search_id` is the request of the search that was clicked. */
export type Click = ItemMoment & { dimension_id: number; search_id?: string };
export type Purchase = ItemMoment & {
  purchase_id: string;
  window_ms: number;
  items: number;
  revenue: number;
};

export type MetricBatch = {
  combinations: Map<number, Combination>;
  /** By environment and values, so that each combination is hashed once. */
  combinationsByText: Map<string, Combination>;
  hours: Map<string, HourSums>;
  /** By kind, hour, environment and key. */
  keys: Map<string, SeenKey>;
  /** By hour, environment and device. */
  devices: Map<string, SeenDevice>;
  /** By content: identical clicks at the same time count once. */
  clicks: Map<string, Click>;
  purchases: Purchase[];
};

export function emptyBatch(): MetricBatch {
  return {
    combinations: new Map(),
    combinationsByText: new Map(),
    hours: new Map(),
    keys: new Map(),
    devices: new Map(),
    clicks: new Map(),
    purchases: [],
  };
}

/** Batches that receive the parts of an event: plain sums, and keys by user, device, set, item. */
export type MetricPlaces = Record<'sums' | 'user' | 'device' | 'set' | 'item', MetricBatch>;

/** An event with its position in the feed, from which the purchase id is derived. */
export type MetricEvent = EventRow & { bucket: number; lane: number; number: number };

/** @property segments Properties of events that form segments, in order [none]. */
type Reading = { isNegative?: boolean; segments?: readonly string[] };

/** Adds an event to the batches. Robots add to the `events` measure only. */
export function gatherEvent(
  places: MetricPlaces,
  event: MetricEvent,
  attributionWindow: AttributionWindow,
  limitNames?: LimitNames,
  { isNegative = false, segments = [] }: Reading = {},
): void {
  const { environment } = event;
  const named = dimensionsOf(event).map((value) => (value ? storable(value) : ''));
  const given = [...named, segmentsText(segments, event.details)];
  const values = limitNames ? limitNames(environment, given) : given;
  const combination = combinationOf(places.sums, environment, values);
  const hour = hourOf(event.occurredAtMs);
  const sums = sumsOf(places.sums, { hour, combination, counted: everyGrouping });
  increase(sums, 'events', 1);
  if (!event.robot) gatherPerson(places, { event, hour, combination, sums, isNegative }, attributionWindow);
}

function combinationOf(
  { combinations, combinationsByText }: Pick<MetricBatch, 'combinations' | 'combinationsByText'>,
  environment: string,
  values: DimensionValues,
): Combination {
  return getOrAdd(combinationsByText, `${environment}\0${values.join('\0')}`, () => {
    const combination = combine(environment, values);
    combinations.set(combination.dimensionId, combination);
    return combination;
  });
}

type Place = {
  event: MetricEvent;
  hour: number;
  combination: Combination;
  sums: HourSums;
  isNegative: boolean;
};

function gatherPerson(places: MetricPlaces, place: Place, attributionWindow: AttributionWindow): void {
  const { event } = place;
  const { userId, requestId, eventType } = event;
  const deviceId = event.deviceId === anonymousDevice ? undefined : event.deviceId;
  const device = deviceId && seeDevice(places.device, place, deviceId);
  for (const [measure, value] of additionsOf(event, place.isNegative)) {
    increase(place.sums, measure, value);
    if (device && isOfDevices(measure)) increase(device, measure, value);
  }
  if (userId) seeKey(places.user, place, 'u', userId);
  if (requestId && isOfImpressionSet(eventType)) seeKey(places.set, place, 's', requestId);
  if (event.itemId) gatherMoment(places.item, place, itemMoment(event, deviceId), attributionWindow);
}

function gatherMoment(
  batch: MetricBatch,
  { event, combination }: Place,
  moment: ItemMoment,
  attributionWindow: AttributionWindow,
): void {
  /** Clicks of every kind: a later purchase of the item is attributed to them. */
  if (isClick(event.eventType)) {
    const search_id =
      isSearchClick(event.eventType) && event.requestId ? storable(event.requestId) : undefined;
    const click = { ...moment, dimension_id: combination.dimensionId, search_id };
    batch.clicks.set(JSON.stringify(click), click);
    batch.combinations.set(combination.dimensionId, combination);
  }
  if (!isPurchase(event.eventType) && event.eventType !== refundType) return;
  const window_ms = attributionWindow(event.environment);
  batch.purchases.push({ ...moment, purchase_id: purchaseId(event), window_ms, ...purchaseOf(event) });
}

/** Derives the id from the position: 10 bits for the bucket, 10 for the lane, then the number. */
function purchaseId({ bucket, lane, number }: MetricEvent): string {
  return String((BigInt(number) << 20n) | BigInt((lane << 10) | bucket));
}

const namesOfDevices = new Set<Measure>(deviceMeasures);
const isOfDevices = (measure: Measure): measure is DeviceMeasure => namesOfDevices.has(measure);

function itemMoment(event: EventRow, deviceId: string | undefined): ItemMoment {
  return {
    environment: event.environment,
    user_id: event.userId && storable(event.userId),
    device_id: deviceId && storable(deviceId),
    item_id: storable(attributionKeyOf(event)!),
    item_type: storable(event.itemType ?? ''),
    variant_id: event.itemGroup === undefined ? undefined : storable(event.itemId!),
    at: Math.floor(event.occurredAtMs),
  };
}

/** Key that compares clicks and purchases: the item, or the group that stands for it. */
export function attributionKeyOf({ itemId, itemGroup }: Pick<EventRow, 'itemId' | 'itemGroup'>) {
  return itemGroup === undefined ? itemId : `group\n${itemGroup}`;
}

type HourPlace = { hour: number; combination: Combination; counted: string };

/** Returns the sums of an hour, combination and grouping, empty at first. */
export function sumsOf(
  { hours }: Pick<MetricBatch, 'hours'>,
  { hour, combination: { dimensionId }, counted }: HourPlace,
): HourSums {
  const place = `${hour} ${dimensionId} ${counted}`;
  return getOrAdd(hours, place, () => ({ hour, dimension_id: dimensionId, counted }));
}

export function increase<Name extends Measure>(
  sums: Partial<Record<Name, number>>,
  measure: Name,
  value: number,
): void {
  if (value !== 0) sums[measure] = (sums[measure] ?? 0) + value;
}

function seeKey(
  batch: MetricBatch,
  { event: { environment }, hour, combination }: Place,
  kind: SeenKey['kind'],
  id: string,
): void {
  const key = storable(id);
  const text = `${kind}${hour} ${environment}\0${key}`;
  const seen = getOrAdd(batch.keys, text, () => ({ environment, kind, hour, key, dimensions: [] }));
  addCombination(batch, seen.dimensions, combination);
}

function seeDevice(
  batch: MetricBatch,
  { event: { environment }, hour, combination }: Place,
  id: string,
): SeenDevice {
  const device_id = storable(id);
  const text = `${hour} ${environment}\0${device_id}`;
  const seen = getOrAdd(batch.devices, text, () => ({ environment, hour, device_id, dimensions: [] }));
  addCombination(batch, seen.dimensions, combination);
  return seen;
}

function addCombination({ combinations }: MetricBatch, dimensions: number[], combination: Combination): void {
  const { dimensionId } = combination;
  if (dimensions.length >= mostCombinationsPerKey || dimensions.includes(dimensionId)) return;
  dimensions.push(dimensionId);
  combinations.set(dimensionId, combination);
}

const keyColumns = ['environment', 'kind', 'hour', 'key', 'dimensions'] as const;
const deviceColumns = ['environment', 'hour', 'device_id', 'dimensions', ...deviceMeasures] as const;

/** Encodes combinations, keys, devices, hours, clicks and purchases, in order; null if empty. */
export function encodeBatch(batch: MetricBatch): (string | null)[] {
  const { keys, devices, clicks, purchases } = batch;
  return [
    encodeCombinations(batch),
    encodeValues([...keys.values()], keyColumns),
    encodeValues([...devices.values()], deviceColumns),
    encodeRows(batch.hours.values()),
    encodeRows(clicks.values()),
    encodeRows(purchases),
  ];
}

export function encodeRows(rows: Iterable<object>): string | null {
  const list = [...rows];
  return list.length > 0 ? JSON.stringify(list) : null;
}

export function encodeCombinations({ combinations }: Pick<MetricBatch, 'combinations'>): string | null {
  const rows = Array.from(combinations.values(), ({ dimensionId, environment, values }) => ({
    dimension_id: dimensionId,
    environment,
    ...Object.fromEntries(combinationColumns.map((name, place) => [name, values[place] ?? ''])),
  }));
  return encodeRows(rows);
}
