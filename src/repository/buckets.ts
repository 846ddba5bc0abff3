/**
 * Buckets: small numbers by which the large tables are divided (migrations/001-buckets.ts).
 *
 * Only this file computes the bucket of a key, from the key's text; the database never does. Their
 * number is chosen when the database is created and never changes.
 */

import { hashText } from '../ranking/runtime/hash.ts';
import type { Database } from './database.ts';

/** Few, since each costs a statement in every aggregation; clusters have more (docs/scaling.md). */
export const defaultBucketCount = 4;

export const mostBuckets = 1_024;

/** In `settings`. */
export const bucketCountSetting = 'bucket_count';

const known = new WeakMap<Database['pool'], Promise<number>>();

/** Returns the number of buckets; reads it once. */
export function bucketCountOf(db: Pick<Database, 'pool' | 'kysely'>): Promise<number> {
  let count = known.get(db.pool);
  if (count === undefined) {
    count = readBucketCount(db);
    known.set(db.pool, count);
    /** A failure is not remembered. */
    count.catch(() => known.delete(db.pool));
  }
  return count;
}

async function readBucketCount({ kysely }: Pick<Database, 'kysely'>): Promise<number> {
  const found = kysely.selectFrom('settings').select('value').where('key', '=', bucketCountSetting);
  return Number((await found.executeTakeFirstOrThrow()).value);
}

/** Lists all buckets, for statements about the whole. */
export async function listBuckets(db: Database): Promise<number[]> {
  return Array.from({ length: await bucketCountOf(db) }, (_, bucket) => bucket);
}

/** FNV-1a over the UTF-16 units of the parts, with separators: ("a", "bc") differs from ("ab", "c"). */
export function bucketOf(bucketCount: number, first: string, second = '', third = ''): number {
  if (bucketCount === 1) return 0;
  let hash = hashInto(0x811c9dc5, first);
  hash = hashInto(hash, second);
  hash = hashInto(hash, third);
  /** The low bits of FNV are weak. */
  return ((hash ^ (hash >>> 15)) >>> 0) % bucketCount;
}

function hashInto(start: number, text: string): number {
  return Math.imul(hashText(text, start) ^ 0xffff, 0x01000193);
}

/** Parts of a key, as `bucketOf` takes them. */
type KeyParts = [first: string, second?: string, third?: string];

/** Returns the bucket of one key. */
export async function findBucket(db: Pick<Database, 'pool' | 'kysely'>, ...key: KeyParts): Promise<number> {
  return bucketOf(await bucketCountOf(db), ...key);
}

/**
 * Runs one statement for each bucket of the inputs in parallel and returns the outputs in the order
 * of the inputs. When one fails, the others still run.
 *
 * @param run Returns the outputs, or a number where there are none.
 */
export async function forEachBucket<Input, Output>(
  db: Database,
  inputs: readonly Input[],
  keyOf: (input: Input) => KeyParts,
  run: (bucket: number, inputs: Input[]) => Promise<Output[] | number>,
): Promise<Output[]> {
  const bucketCount = await bucketCountOf(db);
  const places = Map.groupBy(inputs.keys(), (place) => bucketOf(bucketCount, ...keyOf(inputs[place])));
  const outputs = new Array<Output>(inputs.length);
  const runs = Array.from(places, async ([bucket, group]) => {
    const answers = await run(
      bucket,
      group.map((place) => inputs[place]),
    );
    if (typeof answers === 'number') return;
    for (const [i, place] of group.entries()) outputs[place] = answers[i];
  });
  const failed = (await Promise.allSettled(runs)).find(({ status }) => status === 'rejected');
  if (failed) throw (failed as PromiseRejectedResult).reason;
  return outputs;
}
