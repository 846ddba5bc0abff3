/** google.protobuf.Timestamp as ISO 8601 text or as Unix seconds. */

import type { Timestamp } from '@bufbuild/protobuf/wkt';
import { parseFullMoment } from '../../ranking/runtime/instants.ts';

const minSeconds = -62_135_596_800; // 0001-01-01T00:00:00Z
const maxSeconds = 253_402_300_799; // 9999-12-31T23:59:59Z

/**
 * Parses ISO 8601 with an offset, which includes RFC 3339. Returns undefined for other text and outside the years 1 to 9999.
 */
export function parseTimestamp(text: string): Timestamp | undefined {
  const instantMs = parseFullMoment(text);
  if (instantMs === undefined) return undefined;
  const fraction = /[.,](\d{1,9})/.exec(text)?.[1] ?? '';
  return timestampOf(Math.floor(instantMs / 1_000), Number(fraction.padEnd(9, '0')));
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

function timestampOf(seconds: number, nanos: number): Timestamp | undefined {
  if (!(seconds >= minSeconds && seconds <= maxSeconds)) return undefined;
  return { $typeName: 'google.protobuf.Timestamp', seconds: BigInt(seconds), nanos };
}
