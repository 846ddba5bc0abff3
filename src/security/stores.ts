/** Stores of clients and signing keys in the database. */
import type { JWK } from 'jose';
import type { Database } from '../repository/database.ts';
import { disableClient, findClient, insertClient, listClients } from '../repository/security/clients.ts';
import {
  insertFirstSigningKey,
  listSigningKeys,
  updateSigningKey,
} from '../repository/security/signing-keys.ts';
import type { ClientStore } from './clients.ts';
import type { SigningKeyStore } from './jwt/key-ring.ts';
import { createKeySealer, type KeySealer, type StoredKey } from './jwt/sealed-keys.ts';

export function createClientStore(db: Database): ClientStore {
  return {
    find: (clientId) => findClient(db, clientId),
    insert: (client, actor) => insertClient(db, client, actor),
    list: (limit, afterClientId) => listClients(db, limit, afterClientId),
    disable: (clientId, actor) => disableClient(db, clientId, actor),
  };
}

/** Encrypts keys that were stored before a passphrase was set. */
export function createSigningKeyStore(
  db: Database,
  sealer: KeySealer = createKeySealer(undefined),
): SigningKeyStore {
  return {
    async list() {
      const rows = await listSigningKeys(db);
      return Promise.all(
        rows.map(async ({ keyId, algorithm, privateJwk, publicJwk }) => {
          const key = await sealer.open(privateJwk as StoredKey);
          if (sealer.isDue(privateJwk as StoredKey))
            await updateSigningKey(db, { keyId, privateJwk: await sealer.seal(key) });
          return { keyId, algorithm, privateJwk: key, publicJwk: publicJwk as JWK };
        }),
      );
    },
    async insertFirst(key) {
      await insertFirstSigningKey(db, { ...key, privateJwk: await sealer.seal(key.privateJwk) });
    },
  };
}
