/** RFC 3339 with an offset, or a plain date, which means midnight UTC. */
const instantPattern = /^\d{4}-\d{2}-\d{2}([Tt ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?([Zz]|[+-]\d{2}:\d{2}))?$/;

/** Milliseconds since the epoch, or NaN when the text is no instant. */
export function parseInstant(text: string): number {
  return instantPattern.test(text) ? Date.parse(text.toUpperCase().replace(' ', 'T')) : Number.NaN;
}
