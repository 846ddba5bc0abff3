/** Hours of metrics, in Unix seconds. */

export const hourSeconds = 3_600;
export const daySeconds = 24 * hourSeconds;

const floorHour = (seconds: number): number => Math.floor(seconds / hourSeconds) * hourSeconds;

/** End of the current hour. */
export const endOfHour = (): number => floorHour(Date.now() / 1_000) + hourSeconds;

/** Start of the hour as the interface writes it. */
export function hourText(seconds: number): string {
  return new Date(floorHour(seconds) * 1_000).toISOString().replace('.000', '');
}
