/**
 * Mixes a number's bits to 0 … 2^32 - 1: reproducible randomness (finalizer of MurmurHash3, Appleby
 * 2011), so that selections do not depend on the order of a file.
 */
export function mixed(number: number): number {
  let bits = Math.imul(number ^ (number >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}
