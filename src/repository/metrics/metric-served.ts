/** Adds the counts of what a node has served, many calls at once. */
import { bucketCountOf, bucketOf, forEachBucket } from '../buckets.ts';
import { type Database, execute } from '../database.ts';
import type { HourSums } from './metric-batch.ts';
import { encodeCombinations, encodeRows } from './metric-counts.ts';
import type { Combination } from './metric-dimensions.ts';

/** A device that got an answer of a group and version on a day since 1970, UTC. */
export type Exposure = {
  environment: string;
  day: number;
  device_id: string;
  user_group: string;
  version: string;
};

/** What a row of `metric_hours` grows by, and the combination that it is of. */
export type ServedCount = { sums: HourSums; combination: Combination };

export type ServedBatch = {
  /** The name of the node for as long as it lives; no other node has it. */
  node: string;
  /** Of the node's batches, from 1. */
  number: number;
  counts: readonly ServedCount[];
};

/** A batch counts once, however often it is added. */
export async function addServed(db: Database, { node, number, counts }: ServedBatch): Promise<void> {
  const combinations = new Map(counts.map(({ combination }) => [combination.dimensionId, combination]));
  const values = [
    bucketOf(await bucketCountOf(db), node),
    node,
    number,
    encodeCombinations({ combinations }),
    encodeRows(counts.map(({ sums }) => sums)),
  ];
  await execute(db, { name: 'count-served', text: 'select count_served($1, $2, $3, $4, $5)', values });
}

/** Repeating it changes nothing. */
export async function addExposures(db: Database, exposures: readonly Exposure[]): Promise<void> {
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
}
