/** RFC 3339 with an offset, or a plain date, which means midnight UTC. */
const instantPattern = /^\d{4}-\d{2}-\d{2}([Tt ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?([Zz]|[+-]\d{2}:\d{2}))?$/;

/** Milliseconds since the epoch, or NaN when the text is no instant. */
export function parseInstant(text: string): number {
  if (!instantPattern.test(text) || !dayExists(text)) return Number.NaN;
  return Date.parse(text.toUpperCase().replace(' ', 'T'));
}

const year10000Ms = Date.UTC(10_000, 0);
const farthestWestMs = (23 * 60 + 59) * 60_000;

/** RFC 3339 in UTC. What is the year 10000 there, `9999-12-31T23:59:59-05:00`, it can only say in an offset farther west. */
export function instantText(instantMs: number): string {
  if (instantMs < year10000Ms) return new Date(instantMs).toISOString();
  return new Date(instantMs - farthestWestMs).toISOString().replace('Z', '-23:59');
}

/** Whether the text begins with a day of the calendar; Date.parse takes 30 February for 2 March. */
export function dayExists(text: string): boolean {
  const day = Number(text.slice(8, 10));
  if (day <= shortestMonth) return true;
  const [year, month] = [Number(text.slice(0, 4)), Number(text.slice(5, 7))];
  return day <= new Date(Date.UTC(year, month, 0)).getUTCDate();
}

const shortestMonth = 28;
