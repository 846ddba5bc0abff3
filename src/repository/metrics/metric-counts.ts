/**
 * Keeps the hourly counts up, in the transaction that folds events (event-folding.ts).
 *
 * The work is done by functions of the database (migrations/counting/count-events.ts). Its outcome does not depend on the order of arrival, nor on
 * what other transactions do meanwhile: a key's row is locked by its upsert, which says what it held before; attribution is decided
 * under a lock; and all transactions lock in one order.
 *
 * A purchase is attributed when the same user clicked the item before, within the window. "Same user" is the same user id where both events have
 * one, else the same device. "Before" includes the same moment. A purchase belongs to the last such click and counts under its
 * dimensions; of clicks at one moment the one of the largest combination id, so that the outcome depends on the events alone. A click may
 * arrive after the purchase, so each click looks for purchases, too.
 */

import type { Run } from '../database.ts';
import { encodeColumns } from '../encode-columns.ts';
import type { MetricBatch } from './metric-batch.ts';
import { dimensionNames } from './metric-dimensions.ts';
import { deviceMeasures } from './metric-measures.ts';

const keyColumns = ['environment', 'kind', 'hour', 'key', 'dimensions'] as const;
const deviceColumns = ['environment', 'hour', 'device_id', 'dimensions', ...deviceMeasures] as const;

/** The arguments of `count_events`, in its order; what a batch has none of is null. */
export function encodeBatch(batch: MetricBatch): (string | null)[] {
  const { keys, devices, clicks, purchases } = batch;
  return [
    encodeCombinations(batch),
    encodeColumns([...keys.values()], keyColumns),
    encodeColumns([...devices.values()], deviceColumns),
    encodeRows(batch.hours.values()),
    encodeRows(clicks.values()),
    encodeRows(purchases),
  ];
}

function encodeRows(rows: Iterable<object>): string | null {
  const list = [...rows];
  return list.length > 0 ? JSON.stringify(list) : null;
}

function encodeCombinations({ combinations }: Pick<MetricBatch, 'combinations'>): string | null {
  const rows = Array.from(combinations.values(), ({ dimensionId, environment, values }) => ({
    dimension_id: dimensionId,
    environment,
    ...Object.fromEntries(dimensionNames.map((name, place) => [name, values[place]])),
  }));
  return encodeRows(rows);
}

/** Adds a batch to the counts. */
export async function count(run: Run, batch: MetricBatch): Promise<void> {
  if (batch.hours.size === 0) return;
  const text = 'select count_events($1, $2, $3, $4, $5, $6)';
  await run({ name: 'count-events', text, values: encodeBatch(batch) });
}

/** Adds sums alone. Rows of an hour are shared by all its writers, who wait for each other from here to the commit. */
export async function writeHours(
  run: Run,
  batch: Pick<MetricBatch, 'hours' | 'combinations'>,
): Promise<void> {
  if (batch.hours.size === 0) return;
  const values = [encodeCombinations(batch), null, null, encodeRows(batch.hours.values()), null, null];
  await run({ name: 'count-events', text: 'select count_events($1, $2, $3, $4, $5, $6)', values });
}
