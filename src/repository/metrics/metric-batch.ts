/** Events, gathered into what they add to the counts. */
import { anonymousDevice, type EventRow } from '../event-row.ts';
import { storable } from '../storable.ts';
import { type Combination, combine, everyGrouping, mostCombinationsPerKey } from './metric-dimensions.ts';
import {
  additionsOf,
  type DeviceMeasure,
  deviceMeasures,
  dimensionsOf,
  isAttributingClick,
  type Measure,
  purchaseOf,
} from './metric-measures.ts';

const hourMs = 3_600_000;
const defaultWindowMs = 24 * hourMs;

/** How long after a click a purchase is attributed to it, by environment. */
export type AttributionWindow = (environment: string) => number;

export const defaultAttributionWindow: AttributionWindow = () => defaultWindowMs;

/** Hours since 1970, UTC. */
export function hourOf(occurredAtMs: number): number {
  return Math.floor(occurredAtMs / hourMs);
}

/** What a row of `metric_hours` grows by; `counted` as in metric-dimensions.ts. Names are columns here and below. */
export type HourSums = { hour: number; dimension_id: number; counted: string } & Partial<
  Record<Measure, number>
>;

/** Somebody or something that counts once in an hour, with the combinations it was seen in. */
export type SeenKey = {
  environment: string;
  /** User, or set of impressions. */
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

/** One end of an attribution. */
type ItemMoment = {
  environment: string;
  user_id?: string;
  device_id?: string;
  item_id: string;
  item_type: string;
  at: number;
};
export type Click = ItemMoment & { dimension_id: number };
export type Purchase = ItemMoment & { window_ms: number; items: number; revenue: number };

export type MetricBatch = {
  combinations: Map<number, Combination>;
  /** The same by environment and values, so that each is hashed once. */
  combinationsByText: Map<string, Combination>;
  hours: Map<string, HourSums>;
  keys: Map<string, SeenKey>;
  devices: Map<string, SeenDevice>;
  /** The same click at the same moment is one. */
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

export function gather(events: Iterable<EventRow>, attributionWindow: AttributionWindow): MetricBatch {
  const batch = emptyBatch();
  gatherInto(batch, events, attributionWindow);
  return batch;
}

/** Robots count as events and nothing else. */
export function gatherInto(
  batch: MetricBatch,
  events: Iterable<EventRow>,
  attributionWindow: AttributionWindow,
): void {
  for (const event of events) {
    const { dimensionId } = combinationOf(batch, event);
    const hour = hourOf(event.occurredAtMs);
    const sums = sumsOf(batch, { hour, dimensionId, counted: everyGrouping });
    increase(sums, 'events', 1);
    if (!event.robot) gatherPerson(batch, { event, hour, dimensionId, sums }, attributionWindow);
  }
}

function combinationOf({ combinations, combinationsByText }: MetricBatch, event: EventRow): Combination {
  const values = dimensionsOf(event);
  const text = `${event.environment}\0${values.join('\0')}`;
  let combination = combinationsByText.get(text);
  if (!combination) {
    combination = combine(event.environment, values);
    combinationsByText.set(text, combination);
    combinations.set(combination.dimensionId, combination);
  }
  return combination;
}

type Place = { event: EventRow; hour: number; dimensionId: number; sums: HourSums };

function gatherPerson(batch: MetricBatch, place: Place, attributionWindow: AttributionWindow): void {
  const { event } = place;
  const { userId, requestId, eventType } = event;
  const deviceId = event.deviceId === anonymousDevice ? undefined : event.deviceId;
  const device = deviceId && seeDevice(batch, place, deviceId);
  for (const [measure, value] of additionsOf(event)) {
    increase(place.sums, measure, value);
    if (device && isOfDevices(measure)) increase(device, measure, value);
  }
  if (userId) seeKey(batch, place, 'u', userId);
  if (requestId && eventType === 'impression') seeKey(batch, place, 's', requestId);
  if (event.itemId) gatherMoment(batch, place, itemMoment(event, deviceId), attributionWindow);
}

function gatherMoment(
  batch: MetricBatch,
  { event, dimensionId }: Place,
  moment: ItemMoment,
  attributionWindow: AttributionWindow,
): void {
  if (isAttributingClick(event)) {
    const click = { ...moment, dimension_id: dimensionId };
    batch.clicks.set(JSON.stringify(click), click);
  }
  if (event.eventType !== 'purchase') return;
  const window_ms = attributionWindow(event.environment);
  batch.purchases.push({ ...moment, window_ms, ...purchaseOf(event) });
}

const namesOfDevices = new Set<Measure>(deviceMeasures);
const isOfDevices = (measure: Measure): measure is DeviceMeasure => namesOfDevices.has(measure);

function itemMoment(event: EventRow, deviceId: string | undefined): ItemMoment {
  return {
    environment: event.environment,
    user_id: event.userId && storable(event.userId),
    device_id: deviceId && storable(deviceId),
    item_id: storable(event.itemId!),
    item_type: storable(event.itemType ?? ''),
    at: Math.floor(event.occurredAtMs),
  };
}

type HourPlace = { hour: number; dimensionId: number; counted: string };

/** The sums of a place, which begin empty. */
export function sumsOf(
  { hours }: Pick<MetricBatch, 'hours'>,
  { hour, dimensionId, counted }: HourPlace,
): HourSums {
  const place = `${hour} ${dimensionId} ${counted}`;
  let sums = hours.get(place);
  if (!sums) {
    sums = { hour, dimension_id: dimensionId, counted };
    hours.set(place, sums);
  }
  return sums;
}

export function increase<Name extends Measure>(
  sums: Partial<Record<Name, number>>,
  measure: Name,
  value: number,
): void {
  if (value !== 0) sums[measure] = (sums[measure] ?? 0) + value;
}

function seeKey(
  { keys }: MetricBatch,
  { event: { environment }, hour, dimensionId }: Place,
  kind: SeenKey['kind'],
  id: string,
): void {
  const key = storable(id);
  const place = `${kind} ${hour} ${environment} ${key}`;
  let seen = keys.get(place);
  if (!seen) {
    seen = { environment, kind, hour, key, dimensions: [] };
    keys.set(place, seen);
  }
  addCombination(seen.dimensions, dimensionId);
}

function seeDevice(
  { devices }: MetricBatch,
  { event: { environment }, hour, dimensionId }: Place,
  id: string,
): SeenDevice {
  const deviceId = storable(id);
  const place = `${hour} ${environment} ${deviceId}`;
  let seen = devices.get(place);
  if (!seen) {
    seen = { environment, hour, device_id: deviceId, dimensions: [] };
    devices.set(place, seen);
  }
  addCombination(seen.dimensions, dimensionId);
  return seen;
}

function addCombination(dimensions: number[], dimensionId: number): void {
  if (dimensions.length < mostCombinationsPerKey && !dimensions.includes(dimensionId))
    dimensions.push(dimensionId);
}
