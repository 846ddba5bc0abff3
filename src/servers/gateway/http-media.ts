/** The `Content-Type` of request bodies. */

import { DomainError } from '../../errors.ts';

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
