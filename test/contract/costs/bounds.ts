/** Maximum cost of an allowed request, with few exceptions. */

/** Bounds on the cost of a request. */
export type Bounds = {
  /** Processor time, in lists of ten. */
  lists: number;
  answerBytes: number;
  rows: number;
  rowBytes: number;
};

const usual: Bounds = {
  lists: 60,
  answerBytes: 3_932_160,
  rows: 40,
  rowBytes: 60_000,
};

/** A hundred lists: three times what they would cost one by one. */
const ofManyLists: Bounds = { ...usual, lists: 300, rows: 150, rowBytes: 200_000 };

/** Rows with other bounds. */
const exceptions: Record<string, Bounds> = {
  lists: ofManyLists,
  rows: ofManyLists,
  'fifty rows of a visitor with the longest history': ofManyLists,
  'similar items for as many lists as there may be': ofManyLists,
  'pins and hides for as many lists as there may be': ofManyLists,
  'conditions on everything, for as many lists as there may be': ofManyLists,
  /** Looks up a thousand unknown IDs. */
  'histories and injected items with the longest ids': { ...usual, lists: 150 },
  'a visitor with the longest history': { ...usual, lists: 120 },
  events: { ...usual, rows: 6_000, rowBytes: 2_000_000 },
};

export const boundsOf = (row: string): Bounds => exceptions[row] ?? usual;

/** Of all rows of an operation together. */
export const mostHeapBytes = 2_000_000;
