/**
 * Dimensions of the counts, and exact distinct counts for every grouping at once.
 *
 * A grouping is a set of dimensions: a mask from 0 to 63. A user on two pages of one channel in an
 * hour counts twice by page, once by channel and in total. So each count has a bit for each
 * of the 64 groupings. The first occurrence of a key counts in all; further ones count where no
 * earlier one has the same values. The sum of the counts with a grouping's bit set is the number of
 * distinct keys in each group, without reading keys.
 */
import { hash } from 'node:crypto';

/** Dimensions in the order of the bits of a grouping. */
export const dimensionNames = [
  'user_group',
  'version',
  'page_type',
  'list_name',
  'channel',
  'configuration',
] as const;

export type DimensionName = (typeof dimensionNames)[number];

/** A value for each of `dimensionNames`, empty if absent. */
export type DimensionValues = readonly string[];

/** Returns the values to count under: the given ones, or substitutes past the name limit. */
export type LimitNames = (environment: string, values: DimensionValues) => DimensionValues;

/** All 64 bits set: counts in every grouping. */
export const everyGrouping = '-1';

/** Maximum combinations of a key in an hour; further ones are ignored, to bound its row. */
export const mostCombinationsPerKey = 256;

const groupingCount = 1 << dimensionNames.length;

export function maskOf(names: Iterable<DimensionName>): number {
  let mask = 0;
  for (const name of names) mask |= 1 << dimensionNames.indexOf(name);
  return mask;
}

/** Returns the groupings in which a key counts again after `earlier`, as a signed 64-bit number. */
export function countedGroupings(values: DimensionValues, earlier: readonly DimensionValues[]): string {
  if (earlier.length === 0) return everyGrouping;
  const agreements = new Set(earlier.map((other) => agreement(values, other)));
  let bits = 0n;
  for (let grouping = 0; grouping < groupingCount; grouping++) {
    let isNew = true;
    for (const agreed of agreements) if ((grouping & ~agreed) === 0) isNew = false;
    if (isNew) bits |= 1n << BigInt(grouping);
  }
  return String(BigInt.asIntN(64, bits));
}

function agreement(a: DimensionValues, b: DimensionValues): number {
  let mask = 0;
  for (let i = 0; i < dimensionNames.length; i++) if (a[i] === b[i]) mask |= 1 << i;
  return mask;
}

/** Maps the mask of dimensions equal in two combinations to the groupings without a new count. */
export const agreedGroupings: readonly bigint[] = Array.from({ length: groupingCount }, (_, agreed) => {
  let bits = 0n;
  for (let grouping = 0; grouping < groupingCount; grouping++)
    if ((grouping & ~agreed) === 0) bits |= 1n << BigInt(grouping);
  return BigInt.asIntN(64, bits);
});

/** Dimension values of an environment. The id is a hash of them, so nodes need no coordination. */
export type Combination = { dimensionId: number; environment: string; values: DimensionValues };

export function combine(environment: string, values: DimensionValues): Combination {
  const digest = hash('sha1', JSON.stringify([environment, ...values]), 'buffer');
  return { dimensionId: Number(digest.readBigUInt64BE() >> 11n), environment, values };
}
