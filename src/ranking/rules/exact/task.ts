/** A search task: find the list within the rows and the length that has the highest total value. */
export type Task = {
  /** By item; never negative unless `isFixed`. */
  values: Float64Array;
  /** Items of a list: the exact number when `isFixed`, else the maximum. */
  length: number;
  isFixed: boolean;
  /** A further condition on bounds only: the total of `weights`, by item, is at least `floor`. */
  weighing?: { weights: Float64Array; floor: number };
  /** Total of the best known list. */
  lower: number;
  /** The least improvement to search for; above 0. */
  worthwhile: number;
  /** The total at which the search may stop. */
  goal: number;
};

/** Remaining work for one list, in visits of an item or row: about 3 ns each. */
export type Budget = { visits: number };
