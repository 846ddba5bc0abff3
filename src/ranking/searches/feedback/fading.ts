/** Fading of click counts: half of a count is left after 30 days. */

export const halfLifeMs = 30 * 86_400_000;

/** Returns what is left of a count after `ageMs`; a negative age changes nothing. */
export function faded(count: number, ageMs: number): number {
  return ageMs > 0 ? count * 2 ** (-ageMs / halfLifeMs) : count;
}
