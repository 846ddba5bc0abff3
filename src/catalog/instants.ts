/** RFC 3339 with an offset, or a plain date, which means midnight UTC. */
const instantPattern = /^\d{4}-\d{2}-\d{2}([Tt ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?([Zz]|[+-]\d{2}:\d{2}))?$/;

/** Milliseconds since the epoch, or NaN when the text is no instant. */
export function parseInstant(text: string): number {
  if (!instantPattern.test(text) || !dayExists(text)) return Number.NaN;
  return Date.parse(text.toUpperCase().replace(' ', 'T'));
}

/** Whether the text begins with a day of the calendar; Date.parse takes 30 February for 2 March. */
export function dayExists(text: string): boolean {
  const day = Number(text.slice(8, 10));
  if (day <= shortestMonth) return true;
  const [year, month] = [Number(text.slice(0, 4)), Number(text.slice(5, 7))];
  return day <= new Date(Date.UTC(year, month, 0)).getUTCDate();
}

const shortestMonth = 28;
