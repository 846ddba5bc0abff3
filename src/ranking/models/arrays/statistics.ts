/** Means of figures and their standard errors. */

export function meanOf(values: Float64Array | readonly number[]): number {
  let sum = 0;
  for (const value of values) sum += value;
  return values.length === 0 ? 0 : sum / values.length;
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
