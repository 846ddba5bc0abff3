/** The `Content-Type` of request bodies, and the `Accept` of server-sent events. */

import type { IncomingHttpHeaders } from 'node:http';
import type { Message } from '@bufbuild/protobuf';
import { DomainError } from '../../errors.ts';
import { shapeOf } from '../../formats/codec/field-plan.ts';
import type { Operation } from '../../handlers/chain/operation.ts';

export type BodyForm = 'json' | 'form';

const json = /^application\/(?:[\w.!#$&^-]+\+)?json$/;
const form = 'application/x-www-form-urlencoded';

/** Bodies other than JSON that an operation accepts; JSON as text is what `navigator.sendBeacon` makes of a string. */
export type OtherBodies = { form: boolean; text: boolean };

/** Returns the form of a body, JSON by default. @throws MEDIA_TYPE_UNSUPPORTED. */
export function bodyFormOf(contentType: string | undefined, accepts: OtherBodies): BodyForm {
  if (contentType === undefined || contentType === 'application/json') return 'json';
  const [type, ...parameters] = contentType
    .toLowerCase()
    .split(';')
    .map((part) => part.trim());
  const supported = accepts.form ? ['application/json', form] : ['application/json'];
  const metadata = { accept: supported.join(', ') };
  if (!parameters.every(isUnderstood))
    throw new DomainError('MEDIA_TYPE_UNSUPPORTED', 'Send the body in UTF-8.', { metadata });
  if (json.test(type) || (accepts.text && type === 'text/plain')) return 'json';
  if (accepts.form && type === form) return 'form';
  throw new DomainError('MEDIA_TYPE_UNSUPPORTED', `Send the body as ${supported.join(' or ')}.`, {
    metadata,
  });
}

function isUnderstood(parameter: string): boolean {
  return !parameter.startsWith('charset') || /^charset\s*=\s*"?utf-?8"?$/.test(parameter);
}

/** Chooses the format `sse` by `Accept: text/event-stream`, and continues after the `Last-Event-ID`. */
export function bindEventStream(
  { options: { formatField }, method }: Operation,
  { accept, 'last-event-id': lastEventId }: IncomingHttpHeaders,
  message: Message,
): void {
  if (formatField === '' || !accept?.includes('text/event-stream')) return;
  const format = method.input.fields.find(({ name }) => name === formatField)!;
  if (!shapeOf(format).oneOf.includes('sse')) return;
  const fields = message as unknown as Record<string, unknown>;
  fields[format.localName] = 'sse';
  if (typeof lastEventId === 'string' && lastEventId !== '') fields.after = lastEventId;
}
