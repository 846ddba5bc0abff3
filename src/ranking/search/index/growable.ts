/** Growing typed arrays. */

type TypedArray = Int32Array | Uint32Array | Uint16Array | Uint8Array | Float64Array | Float32Array;

/**
 * Returns the array itself if it holds `length` entries, else a copy of at least one and a half
 * times the size.
 */
export function roomFor<T extends TypedArray>(array: T, length: number): T {
  if (length <= array.length) return array;
  const size = Math.max(length, Math.ceil(array.length * 1.5), 16);
  const larger = new (array.constructor as new (length: number) => T)(size);
  larger.set(array);
  return larger;
}
