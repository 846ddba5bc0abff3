/** Stores in memory that count their calls and can fail, for rules about queries. */
import type { Client, ClientStore } from '../../../src/security/clients.ts';
import type { SigningKey, SigningKeyStore } from '../../../src/security/jwt/key-ring.ts';

export type MemoryClientStore = ClientStore & { finds: number; fault?: Error };

export function createMemoryClientStore(): MemoryClientStore {
  const rows = new Map<string, Client>();
  const store: MemoryClientStore = {
    finds: 0,
    async find(clientId) {
      store.finds++;
      if (store.fault) throw store.fault;
      return rows.get(clientId);
    },
    async insert(client) {
      if (rows.has(client.clientId)) return false;
      rows.set(client.clientId, { ...client, createdAt: new Date(0) });
      return true;
    },
    list: async (limit) => [...rows.values()].slice(0, limit),
    async disable(clientId) {
      const row = rows.get(clientId);
      if (row) rows.set(clientId, { ...row, disabledAt: row.disabledAt ?? new Date(0) });
      return row !== undefined;
    },
  };
  return store;
}

export type MemoryKeyStore = SigningKeyStore & { keys: SigningKey[]; lists: number };

export function createMemoryKeyStore(): MemoryKeyStore {
  const store: MemoryKeyStore = {
    keys: [],
    lists: 0,
    async list() {
      store.lists++;
      return [...store.keys];
    },
    async insertFirst(key) {
      if (store.keys.length === 0) store.keys.push(key);
    },
  };
  return store;
}
