/** How a measure grows with the number of events: the exponent of the power law that fits best, 1 for what is linear. */

export type Point = { events: number; value: number };

/** Least squares on the logarithms; undefined for fewer than two sizes. */
export function growthExponent(points: readonly Point[]): number | undefined {
  const logs = points.map(({ events, value }) => [Math.log(events), Math.log(value)]);
  const [x, y] = [0, 1].map((axis) => logs.reduce((sum, log) => sum + log[axis], 0) / logs.length);
  const spread = logs.reduce((sum, log) => sum + (log[0] - x) ** 2, 0);
  if (spread === 0) return undefined;
  return logs.reduce((sum, log) => sum + (log[0] - x) * (log[1] - y), 0) / spread;
}
