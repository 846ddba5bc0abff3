/**
 * Encodes the counts that an aggregation sends to the database (sql/aggregate-events.sql).
 *
 * The result does not depend on the order of arrival. A purchase is attributed to the last click of
 * the same subject on the item, at or before the purchase and within the window. Subjects match by
 * user id if both events have one, else by device id. The purchase counts under the click's
 * dimensions; for clicks at the same time, the largest combination id wins. Clicks may arrive after
 * their purchase, so each click also searches for purchases.
 */

import { encodeValues } from '../encode-values.ts';
import type { MetricBatch } from './metric-batch.ts';
import { dimensionNames } from './metric-dimensions.ts';
import { deviceMeasures } from './metric-measures.ts';

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
    ...Object.fromEntries(dimensionNames.map((name, place) => [name, values[place]])),
  }));
  return encodeRows(rows);
}
