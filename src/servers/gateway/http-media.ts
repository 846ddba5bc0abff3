/** The `Content-Type` of request bodies. */

import { DomainError } from '../../errors.ts';

export type BodyForm = 'json' | 'form';

const json = /^application\/(?:[\w.!#$&^-]+\+)?json$/;
const form = 'application/x-www-form-urlencoded';

/** Returns the form of a body, JSON by default. @throws MEDIA_TYPE_UNSUPPORTED. */
export function bodyFormOf(contentType: string | undefined, formAllowed: boolean): BodyForm {
  if (contentType === undefined || contentType === 'application/json') return 'json';
  const [type, ...parameters] = contentType
    .toLowerCase()
    .split(';')
    .map((part) => part.trim());
  if (!parameters.every(isUnderstood))
    throw new DomainError('MEDIA_TYPE_UNSUPPORTED', 'Send the body in UTF-8.');
  if (json.test(type)) return 'json';
  if (formAllowed && type === form) return 'form';
  const also = formAllowed ? ` or ${form}` : '';
  throw new DomainError('MEDIA_TYPE_UNSUPPORTED', `Send the body as application/json${also}.`);
}

function isUnderstood(parameter: string): boolean {
  return !parameter.startsWith('charset') || /^charset\s*=\s*"?utf-?8"?$/.test(parameter);
}
