/** Adds the counts of a node's responses, many calls at once. */
import { findBucket, forEachBucket } from '../buckets.ts';
import { type Database, execute } from '../database.ts';
import { encodeCombinations, encodeRows, type HourSums } from './metric-batch.ts';
import type { Combination } from './metric-dimensions.ts';

/** A device that received a response of a group and version on a day (days since 1970, UTC). */
export type Exposure = {
  environment: string;
  day: number;
  device_id: string;
  user_group: string;
  version: string;
};

/** Increments of a `metric_hours` row, and its combination. */
export type ServedCount = { sums: HourSums; combination: Combination };

export type ServedBatch = {
  /** Name of the node, unique for each process. */
  node: string;
  /** Number of the batch on this node, from 1. */
  number: number;
  counts: readonly ServedCount[];
};

/** Adds a batch of counts. Idempotent. */
export async function addServed(db: Database, { node, number, counts }: ServedBatch): Promise<void> {
  const combinations = new Map(counts.map(({ combination }) => [combination.dimensionId, combination]));
  const values = [
    await findBucket(db, node),
    node,
    number,
    encodeCombinations({ combinations }),
    encodeRows(counts.map(({ sums }) => sums)),
  ];
  await execute(db, 'count-served', 'select count_served($1, $2, $3, $4, $5)', values);
}

/** Adds exposures. Idempotent. */
export async function addExposures(db: Database, exposures: readonly Exposure[]): Promise<void> {
  await forEachBucket(
    db,
    exposures,
    ({ environment, device_id }) => [environment, `d:${device_id}`],
    (bucket, ofBucket) =>
      execute(db, 'add-exposures', 'select add_exposures($1, $2)', [bucket, encodeRows(ofBucket)]),
  );
}
