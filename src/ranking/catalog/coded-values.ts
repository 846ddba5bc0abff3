/** A column whose values are counted. */

export type Value = string | number | boolean;

/** Values that many items share, by codes that are good until the catalogue's next write. */
export type CodedValues = {
  /** Codes are below it. */
  readonly codeLimit: number;
  /** Adds one by each value of the first `itemCount` items; of paths also by those above. */
  countInto(items: Int32Array, itemCount: number, counts: Int32Array): void;
  /** Writes the codes of an item's values, of paths also those above, and returns how many there are; some may repeat. */
  codesAt(itemIndex: number, codes: number[]): number;
  valueOf(code: number): Value;
  /** Of numbers: whether many items share each, so that ranges are counted by codes. */
  isShared?(): boolean;
};
