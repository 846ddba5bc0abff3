/** Compares the time of day and the weekday of two moments, for habits such as news in the morning. */

const daySeconds = 86_400;

/** Distance at which the similarity falls to 0.6. */
const spreadSeconds = 2.5 * 3_600;

/** Similarity of a working day and a weekend day at the same hour. */
const otherDays = 0.5;

/**
 * Returns the similarity of two moments (Unix seconds): 1 at the same time of a similar day, near 0
 * half a day apart. Needs no time zone, except for where a weekend begins: UTC.
 */
export function similarTime(one: number, other: number): number {
  const apart = Math.abs(one - other) % daySeconds;
  const distance = Math.min(apart, daySeconds - apart) / spreadSeconds;
  const factor = isWeekend(one) === isWeekend(other) ? 1 : otherDays;
  return factor * Math.exp(-(distance ** 2) / 2);
}

/** The first day of Unix time was a Thursday. */
function isWeekend(seconds: number): boolean {
  return (Math.floor(seconds / daySeconds) + 3) % 7 >= 5;
}
