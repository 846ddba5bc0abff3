type NumberArray =
  | Int32Array
  | Uint32Array
  | Uint16Array
  | Int8Array
  | Uint8Array
  | Float32Array
  | Float64Array;

/** Returns the array, or a copy of at least twice its length if it is too short. */
export function grown<T extends NumberArray>(array: T, length: number, fill = 0): T {
  if (length <= array.length) return array;
  const longer = new (array.constructor as new (length: number) => T)(Math.max(length, array.length * 2, 16));
  longer.set(array);
  if (fill !== 0) longer.fill(fill, array.length);
  return longer;
}
