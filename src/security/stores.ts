/** This room's stores on the database. */
import type { JWK } from 'jose';
import type { Database } from '../repository/database.ts';
import { disableClient, findClient, insertClient, listClients } from '../repository/security/clients.ts';
import { insertFirstSigningKey, listSigningKeys } from '../repository/security/signing-keys.ts';
import type { ClientStore } from './clients.ts';
import type { SigningKeyStore } from './jwt/key-ring.ts';

export function createClientStore(db: Database): ClientStore {
  return {
    find: (clientId) => findClient(db, clientId),
    insert: (client) =>
      insertClient(db, { ...client, scopes: [...client.scopes], origins: [...client.origins] }),
    list: (limit, afterClientId) => listClients(db, limit, afterClientId),
    disable: (clientId) => disableClient(db, clientId),
  };
}

export function createSigningKeyStore(db: Database): SigningKeyStore {
  return {
    async list() {
      const rows = await listSigningKeys(db);
      return rows.map(({ keyId, algorithm, privateJwk, publicJwk }) => ({
        keyId,
        algorithm,
        privateJwk: privateJwk as JWK,
        publicJwk: publicJwk as JWK,
      }));
    },
    async insertFirst(key) {
      await insertFirstSigningKey(db, key);
    },
  };
}
