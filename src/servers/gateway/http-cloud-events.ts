/** JSON bodies; CloudEvents (HTTP binding 1.0: structured, batch and binary mode); changes of Debezium. */

import type { IncomingHttpHeaders } from 'node:http';
import type { JsonObject, JsonValue, Message } from '@bufbuild/protobuf';
import { DomainError, type Violation } from '../../errors.ts';
import { eventOf, readCloudEvent } from '../../formats/cloud-events.ts';
import { parseExact, parseJson } from '../../formats/records/reading/parse-json.ts';
import { bindBody } from './binding.ts';
import type { Endpoint } from './endpoint.ts';

type Mode = 'structured' | 'batch' | 'binary';

const modeByType: Readonly<Record<string, Mode>> = {
  'application/cloudevents+json': 'structured',
  'application/cloudevents-batch+json': 'batch',
};

const prefix = 'ce-';
const telling = ['specversion', 'id', 'source', 'type'].map((name) => prefix + name);

export const eventsOperation = 'personalisation.v1.EventService/CreateEvents';

const changesOperation = 'personalisation.v1.ItemService/ApplyItemChanges';

type JsonBody<Body = { text: string }> = Body & { headers: IncomingHttpHeaders };

/** Fills in a JSON body, or the CloudEvents or changes that it has. @throws as `bindBody` does */
export function bindJson(endpoint: Endpoint, message: Message, { text, headers }: JsonBody): Violation[] {
  const { operation } = endpoint.route;
  if (operation === changesOperation)
    return bindBody(endpoint, message, changesOf(parse(text, parseLong), headers));
  const json = parse(text, parseExact);
  const mode = operation === eventsOperation ? modeOf(headers) : undefined;
  return mode
    ? bindCloudEvents(endpoint, message, { json, headers, mode })
    : bindBody(endpoint, message, json);
}

/** Returns undefined for a request that is no CloudEvent. */
function modeOf(headers: IncomingHttpHeaders): Mode | undefined {
  const [type] = (headers['content-type'] ?? '').split(';', 1);
  const isBinary = () => telling.some((name) => headers[name] !== undefined);
  return modeByType[type.trim().toLowerCase()] ?? (isBinary() ? 'binary' : undefined);
}

/**
 * Fills in the body as `bindBody` does. Violations of an envelope have the pointer of its event,
 * for example `/events/3/source`.
 */
function bindCloudEvents(
  endpoint: Endpoint,
  message: Message,
  { json, mode, headers }: JsonBody<{ json: JsonValue; mode: Mode }>,
): Violation[] {
  if (mode === 'batch' && !Array.isArray(json)) throw notArray();
  const envelopes = mode === 'batch' ? (json as JsonValue[]) : [json];
  const faults = new Map<string, Violation[]>();
  const events = envelopes.map((envelope, index) => {
    const { attributes, violations } = mode === 'binary' ? attributesOf(headers) : none;
    const read = readCloudEvent(mode === 'binary' ? { ...attributes, data: envelope } : envelope);
    const found = [...violations, ...('violations' in read ? read.violations : [])];
    if (found.length === 0 && 'event' in read) return eventOf(read.event);
    const at = ({ pointer, detail }: Violation) => ({ pointer: `/events/${index}${pointer}`, detail });
    faults.set(String(index), found.map(at));
    return {};
  });
  const ofEvents = bindBody(endpoint, message, { events });
  const isOfData = ({ pointer }: Violation) => !faults.has(pointer.split('/', 3)[2]);
  return [...faults.values()].flat().concat(ofEvents.filter(isOfData));
}

const none = { attributes: {}, violations: [] };

/** Reads the attributes of the binary mode: quoted or not, and percent-encoded. */
function attributesOf(headers: IncomingHttpHeaders): { attributes: JsonObject; violations: Violation[] } {
  const attributes: JsonObject = {};
  const violations: Violation[] = [];
  for (const [header, value] of Object.entries(headers)) {
    if (!header.startsWith(prefix)) continue;
    const name = header.slice(prefix.length);
    const [, quoted] = /^"(.*)"$/.exec(String(value)) ?? [];
    try {
      attributes[name] = decodeURIComponent(quoted?.replaceAll(/\\(.)/g, '$1') ?? String(value));
    } catch {
      violations.push({ pointer: `/${name}`, detail: 'Encode the header as UTF-8 with %XX.' });
    }
  }
  const type = headers['content-type'];
  return {
    attributes: type === undefined ? attributes : { ...attributes, datacontenttype: type },
    violations,
  };
}

/** A key, or a time in nanoseconds, may be too large for a number; it becomes text. */
const parseLong = (text: string) => parseJson(text).value as JsonValue;

function parse(text: string, parser: (text: string) => JsonValue): JsonValue {
  try {
    return parser(text);
  } catch {
    throw new DomainError('BODY_NOT_JSON', 'The body is not well-formed JSON.');
  }
}

/** Returns the changes, each as it is or in a CloudEvent. */
function changesOf(json: JsonValue, headers: IncomingHttpHeaders): JsonValue[] {
  if (modeOf(headers) === 'binary') return [{ ...attributesOf(headers).attributes, data: json }];
  return Array.isArray(json) ? json : [json];
}

function notArray(): DomainError {
  const violations = [{ pointer: '', detail: 'Must be an array of CloudEvents.' }];
  return new DomainError('BODY_INVALID', `The body: ${violations[0].detail}`, { violations });
}
