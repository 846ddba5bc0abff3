/** `Prefer: extensions` (RFC 7240): asks for fields beyond the documented answer. */

import type { IncomingHttpHeaders } from 'node:http';
import type { JsonObject, JsonValue, Message } from '@bufbuild/protobuf';
import type { Call } from '../../handlers/chain/call.ts';
import type { Operation } from '../../handlers/chain/operation.ts';
import { encodeAnswer, encodeExtensions } from './binding.ts';
import type { Endpoint } from './endpoint.ts';
import type { Headers } from './http-answer.ts';

const name = 'extensions';

/** Accepts `name` and `name=""`, with parameters too; any other value is another preference (RFC 7240, 2). */
export function prefersExtensions({ options }: Operation, { prefer }: IncomingHttpHeaders): boolean {
  if (!options.extensions || prefer === undefined) return false;
  const preferences = unquote([prefer].flat().join()).split(',');
  return preferences.some((one) => {
    const [token, value = ''] = one.split(';')[0].split('=');
    return token.trim().toLowerCase() === name && value.trim() === '';
  });
}

/** Replaces quoted values, which may hold commas; only an empty value matters. */
function unquote(text: string): string {
  return text.replace(/"((?:[^"\\]|\\.)*)"/g, (_, quoted: string) => (quoted === '' ? '' : '?'));
}

/** Returns the body of an answer, and its `Vary` and `Preference-Applied` headers. */
export function answerTo(
  endpoint: Endpoint & { operation: Operation },
  message: Message,
  { prefersExtensions: isExtended }: Call,
): { body: JsonValue; headers: Headers } {
  const body = encodeAnswer(endpoint, message);
  if (!endpoint.operation.options.extensions) return { body, headers: {} };
  const headers: Headers = { vary: 'prefer' };
  if (!isExtended) return { body, headers };
  return {
    body: { ...(body as JsonObject), [name]: encodeExtensions(endpoint, message) },
    headers: { ...headers, 'preference-applied': name },
  };
}
