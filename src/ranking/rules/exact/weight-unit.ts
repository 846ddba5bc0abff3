import type { FloatList } from '../number-lists.ts';

/** Decimals up to which weights differ. */
const maxDecimals = 6;

const isWhole = (value: number): boolean => Math.abs(value - Math.round(value)) < 1e-6;

function greatestDivisor(one: number, other: number): number {
  let [large, small] = [Math.abs(one), Math.abs(other)];
  while (small > 0) [large, small] = [small, large % small];
  return large;
}

/** Returns the largest common unit of all weights; a coarser one gives tighter bounds. */
export function weightUnit({ values, length }: FloatList): number {
  let scale = 1;
  for (let k = 0; k < length; k++)
    while (scale < 10 ** maxDecimals && !isWhole(values[k] * scale)) scale *= 10;
  let divisor = 0;
  for (let k = 0; k < length && divisor !== 1; k++)
    divisor = greatestDivisor(divisor, Math.round(values[k] * scale));
  return (divisor || 1) / scale;
}
