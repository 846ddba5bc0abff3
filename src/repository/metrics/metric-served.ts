/** Adds what a node has served to the counts, many calls at once. */
import { bucketCountOf, bucketOf, forEachBucket } from '../buckets.ts';
import { type Database, execute } from '../database.ts';
import type { MetricBatch } from './metric-batch.ts';
import { encodeCombinations, encodeRows } from './metric-counts.ts';

/** A device that got an answer of a group and version on a day since 1970, UTC. */
export type Exposure = {
  environment: string;
  day: number;
  device_id: string;
  user_group: string;
  version: string;
};

export type ServedBatch = Pick<MetricBatch, 'hours' | 'combinations'> & {
  /** The name of the node for as long as it lives; no other node has it. */
  node: string;
  /** Of the node's batches, from 1. */
  number: number;
  exposures: readonly Exposure[];
};

/** A batch counts once, however often it is added. */
export async function addServed(db: Database, batch: ServedBatch): Promise<void> {
  const { hours, node, number, exposures } = batch;
  const bucketCount = await bucketCountOf(db);
  await forEachBucket(
    exposures,
    ({ environment, device_id }) => bucketOf(bucketCount, environment, `d:${device_id}`),
    async (bucket, ofBucket) => {
      const text = 'select add_exposures($1, $2)';
      await execute(db, { name: 'add-exposures', text, values: [bucket, encodeRows(ofBucket)] });
      return [];
    },
  );
  if (hours.size === 0) return;
  const values = [
    bucketOf(bucketCount, node),
    node,
    number,
    encodeCombinations(batch),
    encodeRows(hours.values()),
  ];
  await execute(db, { name: 'count-served', text: 'select count_served($1, $2, $3, $4, $5)', values });
}
