/** Columns of the tables of sums, for the functions that write them. */

import { dimensionNames } from '../metrics/metric-dimensions.ts';
import { deviceMeasures, measures } from '../metrics/metric-measures.ts';

export { deviceMeasures as deviceSums, dimensionNames as dimensions, measures };

/** A list with commas. */
export const each = (names: readonly string[], write: (name: string, place: number) => string) =>
  names.map(write).join(', ');

/** A person's further combinations in an hour are not told apart. */
export const mostCombinations = 256;
