/**
 * Secrets that were right lately, or are new, so that clients which have shown theirs get tokens while others' guesses wait
 * for their hashes. Remembered by a digest that another process cannot make; with the hash of that time, so that a changed
 * one is new.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { createCache } from '../../ranking/runtime/cache.ts';

export type VerifiedSecrets = {
  has(clientId: string, secret: string, secretHash: string): boolean;
  add(clientId: string, secret: string, secretHash: string): void;
};

/** Of some 10,000 clients. */
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
