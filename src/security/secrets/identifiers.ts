/** Random ids and secrets. The prefixes let people, logs and secret scanners tell them apart. */
import { randomBytes } from 'node:crypto';

export type ClientCredentials = { clientId: string; clientSecret: string };

/** 128 bits of id, 256 bits of secret; no character needs escaping in a form, a header or a shell. */
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

/** Access tokens begin with `ey`, so the two never meet. */
export function looksLikeWriteKey(text: string): boolean {
  return text.startsWith(writeKeyPrefix);
}

/** Whether asking the database for it is worth the while. */
export function isWriteKeyId(text: string): boolean {
  return /^wk_[0-9a-f]{32}$/.test(text);
}

/** RFC 6749 allows more, but no client of ours has more. */
export function isClientId(text: string): boolean {
  return /^c_[0-9a-f]{32}$/.test(text);
}
