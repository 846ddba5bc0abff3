/** CloudEvents 1.0 (CNCF): checks envelopes, and makes an event of the data of one. */

import { createHash } from 'node:crypto';
import type { JsonObject, JsonValue } from '@bufbuild/protobuf';
import type { Violation } from '../errors.ts';
import { presenceDetail } from './codec/limits.ts';
import { parseTimestamp } from './codec/timestamps.ts';
import { isObject } from './codec/values.ts';

export type CloudEvent = {
  id: string;
  source: string;
  type: string;
  /** RFC 3339. */
  time?: string;
  data: JsonValue;
};

export type ReadCloudEvent = { event: CloudEvent } | { violations: Violation[] };

const longestAttribute = 1024;
const mostViolations = 30;
/** Longest `event_id`. */
const longestEventId = 256;

const jsonType = /^[^/;\s]+\/(?:[^/;\s]+\+)?json\s*(?:;|$)/i;

/** Returns what is wrong with an attribute's value; undefined for nothing. */
type Check = (value: JsonValue) => string | undefined;

const checkText: Check = (value) => {
  if (typeof value !== 'string' || value === '') return 'Must be a non-empty string.';
  return value.length > longestAttribute ? `Must be at most ${longestAttribute} characters long.` : undefined;
};

const matching =
  (isValid: (text: string) => boolean, detail: string): Check =>
  (value) =>
    checkText(value) ?? (isValid(value as string) ? undefined : detail);

const checks: Readonly<Record<string, Check>> = {
  specversion: matching((text) => text === '1.0', 'Must be `1.0`.'),
  id: checkText,
  source: matching((text) => /^\S+$/.test(text), 'Must be a URI reference without spaces.'),
  type: checkText,
  subject: checkText,
  dataschema: matching((text) => URL.canParse(text), 'Must be an absolute URI.'),
  time: matching((text) => parseTimestamp(text) !== undefined, 'Must be a time in RFC 3339.'),
  datacontenttype: matching((text) => jsonType.test(text), 'Must be a JSON type, such as application/json.'),
  data: () => undefined,
  data_base64: () => 'Is not supported; send JSON as `data`.',
};

const checkExtension: Check = (value) =>
  typeof value === 'object' ? 'Must be a string, a number or a boolean.' : undefined;

const required = ['specversion', 'id', 'source', 'type', 'data'] as const;

/** Checks an envelope in the JSON format. Attributes that are null are absent. */
export function readCloudEvent(envelope: JsonValue): ReadCloudEvent {
  if (!isObject(envelope)) return { violations: [{ pointer: '', detail: 'Must be an object.' }] };
  const violations: Violation[] = [];
  for (const [name, value] of Object.entries(envelope)) {
    if (value === null) continue;
    const isName = Object.hasOwn(checks, name) || /^[a-z0-9]{1,64}$/.test(name);
    const check = Object.hasOwn(checks, name) ? checks[name] : checkExtension;
    const detail = isName ? check(value) : 'An attribute has a name of lower-case letters and digits.';
    if (detail !== undefined) violations.push({ pointer: `/${name.slice(0, 64)}`, detail });
    if (violations.length === mostViolations) break;
  }
  for (const name of required)
    if (envelope[name] == null) violations.push({ pointer: `/${name}`, detail: presenceDetail });
  if (violations.length > 0) return { violations };
  return { event: { ...envelope, time: envelope.time ?? undefined } as unknown as CloudEvent };
}

/**
 * Returns the data as an event of the HTTP interface. `source` and `id` are its `event_id`, and
 * `time` its `timestamp`, where the data has none.
 */
export function eventOf(event: CloudEvent): JsonValue {
  const { data, time } = event;
  if (!isObject(data)) return data;
  const fields: JsonObject = { ...data, event_id: data.event_id ?? eventIdOf(event) };
  const timestamp = data.timestamp ?? time;
  return timestamp === undefined ? fields : { ...fields, timestamp };
}

/** Unambiguous, since a source has no spaces. Replaces a long text by its hash. */
function eventIdOf({ source, id }: CloudEvent): string {
  const text = `${source} ${id}`;
  return text.length > longestEventId ? createHash('sha256').update(text).digest('base64url') : text;
}
