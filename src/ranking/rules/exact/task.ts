/** One question about a problem: which list within its rows and length has the highest total of values? */
export type Task = {
  /** By item; never negative unless `isFixed`. */
  values: Float64Array;
  /** Items of a list: exactly so many when `isFixed`, at most otherwise. */
  length: number;
  isFixed: boolean;
  /** A further condition, for bounds only: the list's total of `weights`, by item, is at least `floor`. */
  weighing?: { weights: Float64Array; floor: number };
  /** The total of a known list; only better ones are looked for. */
  lower: number;
  /** By how much a list must be better to be worth finding; above 0. */
  worthwhile: number;
  /** A total that is good enough to stop at. */
  goal: number;
};

/** Work that may still be done for one list, in visits of an item or row: about 3 ns each. */
export type Budget = { visits: number };
