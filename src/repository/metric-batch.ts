/** The events of one transaction, gathered into what they add to the counts. */
import type { EventRow } from './events.ts';
import { type Combination, combine, mostCombinationsPerKey, storable } from './metric-dimensions.ts';
import {
  additionsOf,
  type DeviceMeasure,
  deviceMeasures,
  dimensionsOf,
  isAttributingClick,
  type Measure,
  measures,
  purchaseOf,
} from './metric-measures.ts';

const hourMs = 3_600_000;
const defaultWindowMs = 24 * hourMs;

/** Nobody is counted under this device id, by contract. */
export const anonymousDevice = 'anonymous';

/** How long after a click a purchase is attributed to it, by environment. */
export type AttributionWindow = (environment: string) => number;

export const defaultAttributionWindow: AttributionWindow = () => defaultWindowMs;

/** Hours since 1970, UTC. */
export function hourOf(occurredAtMs: number): number {
  return Math.floor(occurredAtMs / hourMs);
}

/** A sum of `metric_hours`; `counted` as in metric-dimensions.ts. */
export type HourCount = {
  measure: Measure;
  hour: number;
  dimensionId: number;
  counted: string;
  value: number;
};

/** Somebody or something that counts once in an hour, with the combinations it was seen in. */
export type SeenKey = {
  environment: string;
  metric: number;
  hour: number;
  key: string;
  dimensions: Set<number>;
};

export type SeenDevice = {
  environment: string;
  hour: number;
  deviceId: string;
  dimensions: Set<number>;
  sums: Partial<Record<DeviceMeasure, number>>;
};

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
  sums: Map<string, HourCount>;
  keys: Map<string, SeenKey>;
  devices: Map<string, SeenDevice>;
  clicks: Click[];
  purchases: Purchase[];
};

export function emptyBatch(): MetricBatch {
  return {
    combinations: new Map(),
    sums: new Map(),
    keys: new Map(),
    devices: new Map(),
    clicks: [],
    purchases: [],
  };
}

/** Robots count as events and nothing else. */
export function gather(events: Iterable<EventRow>, attributionWindow: AttributionWindow): MetricBatch {
  const batch = emptyBatch();
  const known = new Map<string, Combination>();
  for (const event of events) {
    const values = dimensionsOf(event);
    const text = JSON.stringify([event.environment, values]);
    const combination = known.get(text) ?? combine(event.environment, values);
    known.set(text, combination);
    batch.combinations.set(combination.dimensionId, combination);
    const place = { event, hour: hourOf(event.occurredAtMs), dimensionId: combination.dimensionId };
    addCount(batch, { ...place, measure: 'events', counted: '-1', value: 1 });
    if (!event.robot) gatherPerson(batch, place, attributionWindow);
  }
  return batch;
}

type Place = { event: EventRow; hour: number; dimensionId: number };

function gatherPerson(batch: MetricBatch, place: Place, attributionWindow: AttributionWindow): void {
  const { event } = place;
  const { userId, requestId, eventType } = event;
  const deviceId = event.deviceId === anonymousDevice ? undefined : event.deviceId;
  const device = deviceId && seeDevice(batch, place, storable(deviceId));
  for (const [measure, value] of additionsOf(event)) {
    addCount(batch, { ...place, measure, counted: '-1', value });
    if (device && isOfDevices(measure)) device.sums[measure] = (device.sums[measure] ?? 0) + value;
  }
  if (userId) seeKey(batch, place, 'users', userId);
  if (requestId && eventType === 'impression') seeKey(batch, place, 'impressions_sets', requestId);
  if (!event.itemId) return;
  const moment = itemMoment(event, deviceId);
  if (isAttributingClick(event)) batch.clicks.push({ ...moment, dimension_id: place.dimensionId });
  if (eventType === 'purchase') {
    batch.purchases.push({
      ...moment,
      window_ms: attributionWindow(event.environment),
      ...purchaseOf(event),
    });
  }
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

/** Adds to the sum of the same place. */
export function addCount(
  { sums }: Pick<MetricBatch, 'sums'>,
  { measure, hour, dimensionId, counted, value }: HourCount,
): void {
  const place = `${measures[measure]} ${hour} ${dimensionId} ${counted}`;
  const sum = sums.get(place);
  if (sum) sum.value += value;
  else sums.set(place, { measure, hour, dimensionId, counted, value });
}

function seeKey(
  { keys }: MetricBatch,
  { event, hour, dimensionId }: Place,
  measure: Measure,
  id: string,
): void {
  const place = `${measures[measure]} ${hour} ${event.environment} ${id}`;
  let seen = keys.get(place);
  if (!seen) {
    const { environment } = event;
    seen = { environment, metric: measures[measure], hour, key: storable(id), dimensions: new Set() };
    keys.set(place, seen);
  }
  if (seen.dimensions.size < mostCombinationsPerKey) seen.dimensions.add(dimensionId);
}

function seeDevice(
  { devices }: MetricBatch,
  { event, hour, dimensionId }: Place,
  deviceId: string,
): SeenDevice {
  const place = `${hour} ${event.environment} ${deviceId}`;
  let seen = devices.get(place);
  if (!seen) {
    seen = { environment: event.environment, hour, deviceId, dimensions: new Set(), sums: {} };
    devices.set(place, seen);
  }
  if (seen.dimensions.size < mostCombinationsPerKey) seen.dimensions.add(dimensionId);
  return seen;
}
