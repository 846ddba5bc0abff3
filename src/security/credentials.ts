/** Reads credentials: a bearer token, a Basic header, or a write key in the query. */
import { DomainError } from '../errors.ts';
import type { CallCredentials } from './caller.ts';
import { longestToken } from './jwt/verifier.ts';
import { looksLikeWriteKey } from './secrets/identifiers.ts';

export type Credential = { kind: 'token' | 'write_key'; value: string };

const bearer = 'bearer ';
const basic = /^basic +([A-Za-z0-9+/]+=*)$/i;

/** Maximum characters of the ID and of the secret, as in CreateTokenRequest. */
const longestField = 256;

export function unauthenticated(message: string): DomainError {
  return new DomainError('UNAUTHENTICATED', message);
}

/** Returns the unverified credential, if there is one. @throws UNAUTHENTICATED if malformed. */
export function readCredential(call: CallCredentials): Credential | undefined {
  const { authorization, writeKey } = call;
  if (authorization === undefined) {
    return writeKey === undefined ? undefined : { kind: 'write_key', value: writeKey };
  }
  if (writeKey !== undefined)
    throw unauthenticated('Send either an Authorization header or a write key, not both.');
  if (authorization.length > bearer.length + longestToken)
    throw unauthenticated('The access token is too long.');
  const scheme = authorization.slice(0, bearer.length);
  if (scheme !== 'Bearer ' && scheme.toLowerCase() !== bearer)
    throw unauthenticated('The Authorization header must be of the form `Bearer ACCESS_TOKEN`.');
  const value = authorization.slice(bearer.length);
  return { kind: looksLikeWriteKey(value) ? 'write_key' : 'token', value };
}

export type BasicCredentials = { clientId: string; clientSecret: string };

/**
 * Reads the ID and secret of a Basic header, form-encoded by RFC 6749, section 2.3.1. Returns
 * undefined for another scheme and 'malformed' for an unreadable Basic header.
 */
export function readBasic(authorization: string | undefined): BasicCredentials | 'malformed' | undefined {
  if (!authorization || !/^basic(?: |$)/i.test(authorization)) return undefined;
  const encoded = authorization.length <= longestToken ? basic.exec(authorization)?.[1] : undefined;
  const pair = encoded && /^([^:]*):(.*)$/s.exec(Buffer.from(encoded, 'base64').toString('utf8'));
  if (!pair) return 'malformed';
  const [clientId, clientSecret] = [decodeForm(pair[1]), decodeForm(pair[2])];
  return clientId && clientSecret ? { clientId, clientSecret } : 'malformed';
}

/** Returns undefined if the text is not form-encoded or too long. */
function decodeForm(text: string): string | undefined {
  if (/%(?![0-9a-f]{2})/i.test(text)) return undefined;
  const bytes = text.replaceAll('+', '%20');
  try {
    const decoded = decodeURIComponent(bytes);
    return decoded.length <= longestField ? decoded : undefined;
  } catch {
    return undefined;
  }
}
