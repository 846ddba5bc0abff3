/** What a caller prefers (RFC 7240): `extensions`, to see more of an answer than the documented interface has. */

import type { IncomingHttpHeaders } from 'node:http';
import type { JsonObject, JsonValue, Message } from '@bufbuild/protobuf';
import type { Call } from '../../handlers/chain/call.ts';
import type { Operation } from '../../handlers/chain/operation.ts';
import { encodeAnswer, encodeExtensions } from './binding.ts';
import type { Endpoint } from './endpoint.ts';
import type { Headers } from './http-answer.ts';

const name = 'extensions';

/** `name`, `name=""` or either with parameters is it; a value that we do not know is another preference (RFC 7240, 2). */
export function prefersExtensions({ options }: Operation, { prefer }: IncomingHttpHeaders): boolean {
  if (!options.extensions || prefer === undefined) return false;
  const preferences = unquote([prefer].flat().join()).split(',');
  return preferences.some((one) => {
    const [token, value = ''] = one.split(';')[0].split('=');
    return token.trim().toLowerCase() === name && value.trim() === '';
  });
}

/** What is quoted may hold commas and names of preferences; only that it is nothing matters. */
function unquote(text: string): string {
  return text.replace(/"((?:[^"\\]|\\.)*)"/g, (_, quoted: string) => (quoted === '' ? '' : '?'));
}

/** The body of an answer, and the headers that say what it depends on and how a preference was met. */
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
