/**
 * What an aggregation sends of its counts (sql/aggregate-events.sql).
 *
 * The outcome does not depend on the order of arrival. A purchase is attributed when the same user clicked
 * the item before, within the window. "Same user" is the same user id where both events have one, else the
 * same device. "Before" includes the same moment. A purchase belongs to the last such click and counts under
 * its dimensions; of clicks at one moment the one of the largest combination id, so that the outcome depends
 * on the events alone. A click may arrive after the purchase, so each click looks for purchases, too.
 */

import { encodeValues } from '../encode-values.ts';
import type { MetricBatch, SeenKey } from './metric-batch.ts';
import { dimensionNames } from './metric-dimensions.ts';
import { deviceMeasures } from './metric-measures.ts';

const keyColumns = ['environment', 'kind', 'hour', 'key', 'dimensions'] as const;
const deviceColumns = ['environment', 'hour', 'device_id', 'dimensions', ...deviceMeasures] as const;

type Counts = Pick<MetricBatch, 'combinations' | 'devices' | 'hours' | 'clicks' | 'purchases'> & {
  keys: readonly SeenKey[];
};

/** Combinations, keys, devices, hours, clicks and purchases; what a batch has none of is null. */
export function encodeBatch(batch: Counts): (string | null)[] {
  const { keys, devices, clicks, purchases } = batch;
  return [
    encodeCombinations(batch),
    encodeValues(keys, keyColumns),
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
