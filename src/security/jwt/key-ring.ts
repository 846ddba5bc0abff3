/**
 * Signing keys of access tokens, shared by all nodes through the database.
 *
 * The first node creates one. The newest key signs, every stored key verifies. A token with an
 * unknown key makes the ring read the database again, at most every two seconds, because another
 * node may have created a key. A key deleted from the database stays trusted for ten minutes at
 * most: five in the ring and five in the cache of verified tokens.
 */
import {
  type CryptoKey,
  calculateJwkThumbprint,
  exportJWK,
  generateKeyPair,
  importJWK,
  type JWK,
} from 'jose';
import { orUnavailable } from '../../ranking/runtime/within-time.ts';

/** ECDSA on P-256, which every JWT library supports. */
export const signatureAlgorithm = 'ES256';

export type SigningKey = { keyId: string; algorithm: string; privateJwk: JWK; publicJwk: JWK };

export type SigningKeyStore = {
  list(): Promise<SigningKey[]>;
  insertFirst(key: SigningKey): Promise<void>;
};

export type KeyRing = {
  /** Returns the key that signs. */
  newest(): Promise<{ keyId: string; privateKey: CryptoKey }>;
  find(keyId: string): Promise<CryptoKey | undefined>;
  listPublic(): Promise<JWK[]>;
};

export type KeyRingOptions = {
  store: SigningKeyStore;
  /** Time that a call waits for the store before it fails with UNAVAILABLE [no limit]. */
  patienceMs?: number;
  elapsedMs: () => number;
};

type Ring = {
  readAtMs: number;
  newest: { keyId: string; privateKey: CryptoKey };
  publicKeys: ReadonlyMap<string, CryptoKey>;
  publicJwks: JWK[];
};

const unknownKeyPauseMs = 2_000;
const mostAgeMs = 300_000;

/** Creates the first key if necessary. Nodes that start together agree on one. */
export async function createKeyRing({ store, patienceMs, elapsedMs }: KeyRingOptions): Promise<KeyRing> {
  if ((await store.list()).length === 0) await store.insertFirst(await generateSigningKey());
  let ring = await readRing(store, elapsedMs());
  let reading: Promise<void> | undefined;

  async function read(): Promise<void> {
    ring = await readRing(store, elapsedMs());
  }

  function refresh(): Promise<void> {
    reading ??= read().finally(() => {
      reading = undefined;
    });
    return reading;
  }

  async function refreshOlderThan(ageMs: number): Promise<void> {
    if (elapsedMs() - ring.readAtMs < ageMs) return;
    await (patienceMs === undefined ? refresh() : orUnavailable(patienceMs, refresh()));
  }

  return {
    async newest() {
      await refreshOlderThan(unknownKeyPauseMs);
      return ring.newest;
    },
    async find(keyId) {
      await refreshOlderThan(ring.publicKeys.has(keyId) ? mostAgeMs : unknownKeyPauseMs);
      return ring.publicKeys.get(keyId);
    },
    async listPublic() {
      await refreshOlderThan(unknownKeyPauseMs);
      return ring.publicJwks;
    },
  };
}

async function readRing(store: SigningKeyStore, readAtMs: number): Promise<Ring> {
  const keys = (await store.list()).filter((key) => key.algorithm === signatureAlgorithm);
  if (keys.length === 0)
    throw new Error(`The database holds no ${signatureAlgorithm} key for signing tokens.`);
  const publicKeys = await Promise.all(keys.map((key) => importJWK(key.publicJwk, key.algorithm)));
  const [newest] = keys;
  return {
    readAtMs,
    newest: {
      keyId: newest.keyId,
      privateKey: (await importJWK(newest.privateJwk, newest.algorithm)) as CryptoKey,
    },
    publicKeys: new Map(keys.map((key, index) => [key.keyId, publicKeys[index] as CryptoKey])),
    publicJwks: keys.map(publishedJwk),
  };
}

/** Publishes only members that RFC 7518 declares public. */
function publishedJwk({ keyId, algorithm, publicJwk: { kty, crv, x, y } }: SigningKey): JWK {
  return { kty, crv, x, y, kid: keyId, alg: algorithm, use: 'sig' };
}

/** Uses the key's thumbprint (RFC 7638) as its ID. */
async function generateSigningKey(): Promise<SigningKey> {
  const pair = await generateKeyPair(signatureAlgorithm, { extractable: true });
  const publicJwk = await exportJWK(pair.publicKey);
  const keyId = await calculateJwkThumbprint(publicJwk);
  return { keyId, algorithm: signatureAlgorithm, privateJwk: await exportJWK(pair.privateKey), publicJwk };
}
