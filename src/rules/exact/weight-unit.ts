import type { FloatList } from '../number-lists.ts';

/** Weights are told apart down to this many decimals. */
const maxDecimals = 6;

const isWhole = (value: number): boolean => Math.abs(value - Math.round(value)) < 1e-6;

/** The largest power of ten, 1 at most and a millionth at least, that all weights are multiples of. */
export function weightUnit({ values, length }: FloatList): number {
  let decimals = 0;
  let scale = 1;
  for (let k = 0; k < length; k++) {
    while (decimals < maxDecimals && !isWhole(values[k] * scale)) {
      decimals += 1;
      scale = 10 ** decimals;
    }
  }
  return 1 / scale;
}
