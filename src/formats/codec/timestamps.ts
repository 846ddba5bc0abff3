/** google.protobuf.Timestamp as RFC 3339 text or as Unix seconds. */

import type { Timestamp } from '@bufbuild/protobuf/wkt';

const minSeconds = -62_135_596_800; // 0001-01-01T00:00:00Z
const maxSeconds = 253_402_300_799; // 9999-12-31T23:59:59Z

const rfc3339 = /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?(?:[Zz]|([+-])(\d\d):(\d\d))$/;

/**
 * Parses RFC 3339 with an offset. Returns undefined for other text and outside the years 1 to 9999.
 */
export function parseTimestamp(text: string): Timestamp | undefined {
  const match = rfc3339.exec(text);
  if (match === null) return undefined;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number);
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined;
  const offset = offsetSeconds(match[8], Number(match[9] ?? 0), Number(match[10] ?? 0));
  if (offset === undefined) return undefined;
  const seconds = date.getTime() / 1000 + hour * 3600 + minute * 60 + second - offset;
  return timestampOf(seconds, Number((match[7] ?? '').padEnd(9, '0')));
}

/** Converts Unix seconds, to the microsecond. Returns undefined outside the years 1 to 9999. */
export function timestampFromUnix(unixSeconds: number): Timestamp | undefined {
  const unixUs = Math.round(unixSeconds * 1e6);
  const seconds = Math.floor(unixUs / 1e6);
  return timestampOf(seconds, (unixUs - seconds * 1e6) * 1_000);
}

/** Formats RFC 3339 in UTC, with 0, 3, 6 or 9 digits of the fraction. */
export function formatTimestamp({ seconds, nanos }: Timestamp): string {
  const text = new Date(Number(seconds) * 1000).toISOString().slice(0, 19);
  if (nanos === 0) return `${text}Z`;
  const fraction = String(nanos)
    .padStart(9, '0')
    .replace(/(?:000)+$/, '');
  return `${text}.${fraction}Z`;
}

/** Returns whether RFC 3339 can express the Timestamp. */
export function isTimestamp({ seconds, nanos }: Timestamp): boolean {
  return seconds >= minSeconds && seconds <= maxSeconds && nanos >= 0 && nanos < 1_000_000_000;
}

function offsetSeconds(sign: string | undefined, hours: number, minutes: number): number | undefined {
  if (sign === undefined) return 0;
  if (hours > 23 || minutes > 59) return undefined;
  return (sign === '-' ? -1 : 1) * (hours * 3600 + minutes * 60);
}

function timestampOf(seconds: number, nanos: number): Timestamp | undefined {
  if (!(seconds >= minSeconds && seconds <= maxSeconds)) return undefined;
  return { $typeName: 'google.protobuf.Timestamp', seconds: BigInt(seconds), nanos };
}
