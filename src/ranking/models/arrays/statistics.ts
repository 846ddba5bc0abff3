/** Sums and means of figures, their standard errors, and their steps. */

export function meanOf(values: Float64Array | readonly number[]): number {
  return values.length === 0 ? 0 : sumOf(values) / values.length;
}

/**
 * Returns the standard error of the mean, clustered by subject, because figures of one subject are
 * not independent (Liang, Zeger, Biometrika 1986).
 *
 * @param subjects Subject of each figure.
 */
export function standardError(values: Float64Array | readonly number[], subjects: readonly number[]): number {
  if (values.length === 0) return 0;
  const mean = meanOf(values);
  const deviations = new Map<number, number>();
  values.forEach((value, place) => {
    deviations.set(subjects[place], (deviations.get(subjects[place]) ?? 0) + value - mean);
  });
  let squares = 0;
  for (const deviation of deviations.values()) squares += deviation ** 2;
  return Math.sqrt(squares) / values.length;
}

export function sumOf(values: Float64Array | Int32Array | readonly number[]): number {
  let sum = 0;
  for (const value of values) sum += value;
  return sum;
}

/** Returns the first step that the value does not exceed; their number if it exceeds all. */
export function stepOf(steps: readonly number[], value: number): number {
  let step = 0;
  while (step < steps.length && value > steps[step]) step += 1;
  return step;
}
