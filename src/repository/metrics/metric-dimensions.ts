/**
 * Dimensions of the counts, and exact distinct counts for every grouping at once.
 *
 * A grouping is a set of dimensions: a mask from 0 to 63. A user on two pages of one channel in an
 * hour counts twice by page, once by channel and in total. So each count has a bit for each
 * of the 64 groupings. The first occurrence of a key counts in all; further ones count where no
 * earlier one has the same values. The sum of the counts with a grouping's bit set is the number of
 * distinct keys in each group, without reading keys. Segments are no part of a grouping: all counts of
 * a call have the same segments, and distinct counts are not kept by segment.
 */
import { hash } from 'node:crypto';
import { storable } from '../storable.ts';

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

/** Segment of the visitor, such as `segments.device_class`: a declared property of events and requests. */
export type SegmentName = `segments.${string}`;

/** A dimension that counts are grouped and filtered by. */
export type GroupName = DimensionName | SegmentName;

const segmentPrefix = 'segments.';

export const segmentName = (property: string): SegmentName => `${segmentPrefix}${property}`;

/** Returns the property of a segment; undefined for another dimension. */
export function propertyOf(name: string): string | undefined {
  return name.startsWith(segmentPrefix) ? name.slice(segmentPrefix.length) : undefined;
}

/** Columns of a combination: the dimensions of groupings, then the segments as `segmentsText` writes them. */
export const combinationColumns = [...dimensionNames, 'segments'] as const;

/** A value for each of `combinationColumns`, empty if absent. */
export type DimensionValues = readonly string[];

/** Name that others count under: unregistered ones, those past the name limit, and long segments. */
export const otherName = 'other';

const longestSegment = 64;

/**
 * Returns the segments of an event or request: JSON by property, or empty without any.
 * @param properties Names in order.
 */
export function segmentsText(properties: readonly string[], facts: unknown): string {
  const given = (facts ?? {}) as Record<string, unknown>;
  const segments = properties.flatMap((name) => {
    const value = given[name];
    if (!['string', 'number', 'boolean'].includes(typeof value) || value === '') return [];
    const text = storable(String(value));
    return [[name, text.length > longestSegment ? otherName : text]];
  });
  return segments.length > 0 ? JSON.stringify(Object.fromEntries(segments)) : '';
}

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
  /** Without segments the id is that of versions that had none. */
  const hashed = values[dimensionNames.length] ? values : values.slice(0, dimensionNames.length);
  const digest = hash('sha1', JSON.stringify([environment, ...hashed]), 'buffer');
  return { dimensionId: Number(digest.readBigUInt64BE() >> 11n), environment, values };
}
