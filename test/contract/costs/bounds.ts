/** Maximum cost of a permitted request, with few exceptions. */

/** The most that a request may cost. */
export type Bounds = {
  /** Processor time, in lists of ten. */
  lists: number;
  answerBytes: number;
  heapBytes: number;
  rows: number;
  rowBytes: number;
};

const usual: Bounds = {
  lists: 60,
  answerBytes: 3_932_160,
  heapBytes: 2_000_000,
  rows: 40,
  rowBytes: 60_000,
};

/** A hundred lists: three times what they would cost one by one. */
const ofManyLists: Bounds = { ...usual, lists: 300, rows: 150, rowBytes: 200_000 };

/** Rows that may cost something else. */
const exceptions: Record<string, Bounds> = {
  lists: ofManyLists,
  'conditions on everything, for as many lists as there may be': ofManyLists,
  /** Looks for a thousand unknown IDs. */
  'histories and injected items with the longest ids': { ...usual, lists: 150 },
  'a visitor with the longest history': { ...usual, lists: 120 },
  events: { ...usual, rows: 6_000, rowBytes: 2_000_000 },
};

export const boundsOf = (row: string): Bounds => exceptions[row] ?? usual;
