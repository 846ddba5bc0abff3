/**
 * Remembers recently verified and new secrets, so that their clients get tokens while guesses wait
 * for hashing. Stores a keyed digest of secret and hash, so a changed hash needs a new
 * verification.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { createCache } from '../../ranking/runtime/cache.ts';

export type VerifiedSecrets = {
  has(clientId: string, secret: string, secretHash: string): boolean;
  add(clientId: string, secret: string, secretHash: string): void;
};

/** Some 10,000 clients. */
const mostBytes = 5 * 1024 * 1024;
const bytesOfDigest = 250;

export function createVerifiedSecrets(): VerifiedSecrets {
  const key = randomBytes(32);
  const digests = createCache<Buffer>({ maxBytes: mostBytes, bytesOf: () => bytesOfDigest });
  const digestOf = (secret: string, secretHash: string) =>
    createHmac('sha256', key).update(`${secretHash}\n${secret}`).digest();
  return {
    has(clientId, secret, secretHash) {
      const known = digests.get(clientId);
      return known !== undefined && timingSafeEqual(known, digestOf(secret, secretHash));
    },
    add: (clientId, secret, secretHash) => digests.set(clientId, digestOf(secret, secretHash)),
  };
}
