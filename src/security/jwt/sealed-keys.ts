/**
 * Signing keys as they are stored: as they are, or encrypted (JWE, RFC 7516, with A256GCM) with a passphrase that the operator
 * keeps apart from the database. Then a copy of the database, a backup say, signs no tokens.
 */
import { createHash } from 'node:crypto';
import { CompactEncrypt, compactDecrypt, type JWK } from 'jose';

/** What the database holds. */
export type StoredKey = JWK | { sealed: string };

export type KeySealer = {
  seal(key: JWK): Promise<StoredKey>;
  /** Throws an Error that tells the operator what to do when the key is sealed with another passphrase. */
  open(stored: StoredKey): Promise<JWK>;
  /** Whether a stored key is to be sealed that is not. */
  isDue(stored: StoredKey): boolean;
};

/** Guessing goes on where nobody sees it, at the speed of SHA-256, so the passphrase has to be random. */
const shortestPassphrase = 32;

const header = { alg: 'dir', enc: 'A256GCM' };

/** @param passphrase Undefined to leave keys as they are. */
export function createKeySealer(passphrase: string | undefined): KeySealer {
  if (passphrase !== undefined && passphrase.length < shortestPassphrase)
    throw new Error(
      `SIGNING_KEY_PASSPHRASE must have at least ${shortestPassphrase} characters; \`openssl rand -base64 32\` makes one.`,
    );
  const secret = passphrase === undefined ? undefined : createHash('sha256').update(passphrase).digest();

  return {
    async seal(key) {
      if (!secret) return key;
      const bytes = new TextEncoder().encode(JSON.stringify(key));
      return { sealed: await new CompactEncrypt(bytes).setProtectedHeader(header).encrypt(secret) };
    },
    async open(stored) {
      if (!isSealed(stored)) return stored;
      if (!secret) throw new Error(advice('is encrypted'));
      const opened = await compactDecrypt(stored.sealed, secret).catch(() => undefined);
      if (!opened) throw new Error(advice('is encrypted with another passphrase'));
      return JSON.parse(new TextDecoder().decode(opened.plaintext));
    },
    isDue: (stored) => secret !== undefined && !isSealed(stored),
  };
}

function isSealed(stored: StoredKey): stored is { sealed: string } {
  return typeof (stored as { sealed?: unknown }).sealed === 'string';
}

function advice(fault: string): string {
  return `The key that signs access tokens ${fault}; set SIGNING_KEY_PASSPHRASE to the one it was encrypted with.`;
}
