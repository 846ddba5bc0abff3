/** Random IDs and secrets, with prefixes for people, logs and secret scanners. */
import { randomBytes } from 'node:crypto';

export type ClientCredentials = { clientId: string; clientSecret: string };

/** Creates an ID of 128 bits and a secret of 256 bits that need no escaping. */
export function createCredentials(): ClientCredentials {
  return {
    clientId: `c_${randomBytes(16).toString('hex')}`,
    clientSecret: `cs_${randomBytes(32).toString('base64url')}`,
  };
}

export function createWriteKeyId(): string {
  return `wk_${randomBytes(16).toString('hex')}`;
}

const writeKeyPrefix = 'wk_';

/** Access tokens begin with `ey`, so the two cannot be confused. */
export function looksLikeWriteKey(text: string): boolean {
  return text.startsWith(writeKeyPrefix);
}

/** Returns whether a database read makes sense. */
export function isWriteKeyId(text: string): boolean {
  return /^wk_[0-9a-f]{32}$/.test(text);
}

/** Accepts IDs of this service only; RFC 6749 allows more. */
export function isClientId(text: string): boolean {
  return /^c_[0-9a-f]{32}$/.test(text);
}
