/**
 * Encrypts the keys that sign tokens and webhooks (JWE, RFC 7516, A256GCM) with a passphrase that the operator keeps apart
 * from the database. A copy of the database, such as a backup, then cannot sign tokens. Without a
 * passphrase, keys are stored as they are.
 */
import { createHash } from 'node:crypto';
import { CompactEncrypt, compactDecrypt, type JWK } from 'jose';

export type StoredKey = JWK | { sealed: string };

export type KeySealer = {
  seal(key: JWK): Promise<StoredKey>;
  /** Decrypts a key. @throws Error with advice for the operator if the passphrase is wrong. */
  open(stored: StoredKey): Promise<JWK>;
  /** Returns whether a stored key still has to be encrypted. */
  isDue(stored: StoredKey): boolean;
};

/** The passphrase can be guessed offline at the speed of SHA-256, so it has to be random. */
const shortestPassphrase = 32;

const header = { alg: 'dir', enc: 'A256GCM' };

/** @param passphrase Undefined to store keys as they are. */
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
  return `A key in the database ${fault}; set SIGNING_KEY_PASSPHRASE to the one it was encrypted with.`;
}
