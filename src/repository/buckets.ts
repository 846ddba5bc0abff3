/**
 * Buckets: small numbers by which the large tables are divided (migrations/001-buckets.ts).
 *
 * A key's bucket is computed here alone, from the key's text; the database never computes one. How
 * many there are is decided when a database is filled first and never changes.
 */

import { type Database, query } from './database.ts';

/** Few, since each costs a statement in every fold; a cluster is given more (docs/scaling.md). */
export const defaultBucketCount = 4;

export const mostBuckets = 1_024;

/** In `settings`. */
export const bucketCountSetting = 'bucket_count';

const known = new WeakMap<Database['pool'], Promise<number>>();

const countStatement = `select value::text::int as "bucketCount" from settings where key = $1`;

/** How many buckets the database has; asked once. */
export function bucketCountOf(db: Database): Promise<number> {
  let count = known.get(db.pool);
  if (count === undefined) {
    count = readBucketCount(db);
    known.set(db.pool, count);
    /** A failure is not remembered. */
    count.catch(() => known.delete(db.pool));
  }
  return count;
}

async function readBucketCount(db: Database): Promise<number> {
  const values = [bucketCountSetting];
  const [row] = await query<{ bucketCount: number }>(
    db,
    { name: '', text: countStatement, values },
    {
      bucketCount: 'int4',
    },
  );
  return row.bucketCount;
}

/** All of them, for statements about the whole. */
export async function listBuckets(db: Database): Promise<number[]> {
  return Array.from({ length: await bucketCountOf(db) }, (_, bucket) => bucket);
}

/** FNV-1a over the UTF-16 units of the parts, which are divided so that ("a", "bc") is not ("ab", "c"). */
export function bucketOf(bucketCount: number, first: string, second = '', third = ''): number {
  if (bucketCount === 1) return 0;
  let hash = hashInto(0x811c9dc5, first);
  hash = hashInto(hash, second);
  hash = hashInto(hash, third);
  /** The low bits of FNV are its weak ones. */
  return ((hash ^ (hash >>> 15)) >>> 0) % bucketCount;
}

function hashInto(start: number, text: string): number {
  let hash = start;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return Math.imul(hash ^ 0xffff, 0x01000193);
}

/** By bucket, in the order given. */
export function groupByBucket<Value>(
  values: Iterable<Value>,
  bucketOfValue: (value: Value) => number,
): Map<number, Value[]> {
  const groups = new Map<number, Value[]>();
  for (const value of values) {
    const bucket = bucketOfValue(value);
    const group = groups.get(bucket);
    if (group) group.push(value);
    else groups.set(bucket, [value]);
  }
  return groups;
}

/**
 * One statement for each bucket of the inputs, at once; answers in the order of the inputs. When one
 * fails, the others have run all the same.
 */
export async function forEachBucket<Input, Output>(
  inputs: readonly Input[],
  bucketOfInput: (input: Input) => number,
  run: (bucket: number, inputs: Input[]) => Promise<Output[]>,
): Promise<Output[]> {
  const places = groupByBucket(inputs.keys(), (place) => bucketOfInput(inputs[place]));
  const outputs = new Array<Output>(inputs.length);
  const runs = Array.from(places, async ([bucket, group]) => {
    const answers = await run(
      bucket,
      group.map((place) => inputs[place]),
    );
    for (const [i, place] of group.entries()) outputs[place] = answers[i];
  });
  const failed = (await Promise.allSettled(runs)).find(({ status }) => status === 'rejected');
  if (failed) throw (failed as PromiseRejectedResult).reason;
  return outputs;
}
