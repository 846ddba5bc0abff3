/**
 * A number's bits stirred, 0 … 2^32 - 1: chance that is the same every time (the finalizer of MurmurHash3, Appleby 2011).
 * What is chosen by it does not depend on the order of a file.
 */
export function mixed(number: number): number {
  let bits = Math.imul(number ^ (number >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}
