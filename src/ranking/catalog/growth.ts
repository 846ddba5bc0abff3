type NumberArray = Int32Array | Uint32Array | Float64Array | Int8Array;

/** The array itself when it holds `length` entries, else a copy at least twice as long whose new entries are `fill`. */
export function grown<T extends NumberArray>(array: T, length: number, fill: number): T {
  if (length <= array.length) return array;
  const longer = new (array.constructor as new (length: number) => T)(Math.max(length, array.length * 2, 64));
  longer.set(array);
  if (fill !== 0) longer.fill(fill, array.length);
  return longer;
}
