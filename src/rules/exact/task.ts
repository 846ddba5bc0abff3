/** One question about a problem: which list within its rows and length has the highest total of values? */
export type Task = {
  /** By item; never negative unless `isFixed`. */
  values: Float64Array;
  /** Items of a list: exactly so many when `isFixed`, at most otherwise. */
  length: number;
  isFixed: boolean;
  /** The total of a known list; only better ones are looked for. */
  lower: number;
  /** By how much a list must be better to be worth finding; above 0. */
  worthwhile: number;
  /** A list that is better by no more than this deserves only a short search. */
  minor: number;
};
