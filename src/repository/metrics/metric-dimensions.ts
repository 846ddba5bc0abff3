/**
 * What counts can be broken down by, and exact distinct counts for every breakdown at once.
 *
 * A grouping is a set of dimensions, a mask of 0 to 63. A user who is seen on two pages of one channel in an hour counts twice by page,
 * once by channel and once in total. So each count says by its 64 bits in which groupings it counts: the first sighting of a key
 * counts in all, a further one wherever no earlier sighting has the same values. Summing the counts whose bit of a grouping is set
 * gives the number of distinct keys in each of its groups, without looking at keys.
 */
import { hash } from 'node:crypto';

/** In the order of a grouping's bits. */
export const dimensionNames = [
  'user_group',
  'version',
  'page_type',
  'list_name',
  'channel',
  'configuration',
] as const;

export type DimensionName = (typeof dimensionNames)[number];

/** A value for each of `dimensionNames`, empty where there is none. */
export type DimensionValues = readonly string[];

/** What an environment counts values under: themselves, or others where there are too many. */
export type LimitNames = (environment: string, values: DimensionValues) => DimensionValues;

/** Counts in every grouping. */
export const everyGrouping = '-1';

/** A key's further combinations in an hour are not told apart; this bounds its row. */
export const mostCombinationsPerKey = 256;

const groupingCount = 1 << dimensionNames.length;

export function maskOf(names: Iterable<DimensionName>): number {
  let mask = 0;
  for (const name of names) mask |= 1 << dimensionNames.indexOf(name);
  return mask;
}

/** The groupings in which a sighting counts after earlier ones of the same key, as a signed 64-bit number. */
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

/** By the agreement of two combinations, a mask: the groupings in which the later one is no new sighting. */
export const agreedGroupings: readonly bigint[] = Array.from({ length: groupingCount }, (_, agreed) => {
  let bits = 0n;
  for (let grouping = 0; grouping < groupingCount; grouping++)
    if ((grouping & ~agreed) === 0) bits |= 1n << BigInt(grouping);
  return BigInt.asIntN(64, bits);
});

/** One combination of an environment's dimensions; its id is made from its content, so no node has to ask for it. */
export type Combination = { dimensionId: number; environment: string; values: DimensionValues };

export function combine(environment: string, values: DimensionValues): Combination {
  const digest = hash('sha1', JSON.stringify([environment, ...values]), 'buffer');
  return { dimensionId: Number(digest.readBigUInt64BE() >> 11n), environment, values };
}
