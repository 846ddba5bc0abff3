/**
 * Caches clients for at most ten seconds.
 *
 * Tokens are verified without the database, so this cache is what stops the tokens of a disabled
 * client: every node refuses it within `mostAgeMs`. From half that age on, the next use refreshes
 * the entry in the background, so a busy client never waits. If the database is unreachable and the
 * entry is too old, `find` fails with UNAVAILABLE.
 */

import { createCache, textBytes } from '../ranking/runtime/cache.ts';
import { getOrAdd } from '../ranking/runtime/get-or-add.ts';
import type { Client, ClientStore } from './clients.ts';

/** `client` is undefined if the database has no such client; absence is cached too. */
export type KnownClient = { client: Client | undefined };

export type ClientCache = {
  /** Returns a fresh entry without waiting, or undefined. */
  peek(clientId: string): KnownClient | undefined;
  /** @param session Number of a person's session; an entry of an earlier one is read again. */
  find(clientId: string, session?: number): Promise<KnownClient>;
};

type Entry = KnownClient & { readAtMs: number; rereadAtMs: number };

const mostAgeMs = 10_000;
const rereadAgeMs = 5_000;
const rereadPauseMs = 1_000;
/** Some 10,000 typical clients. */
const mostBytes = 16 * 1024 * 1024;

/** Bytes of an entry, and of a client besides its texts. */
const bytesOfObject = 500;

export type ClientCacheOptions = {
  store: Pick<ClientStore, 'find'>;
  elapsedMs: () => number;
};

export function createClientCache({ store, elapsedMs }: ClientCacheOptions): ClientCache {
  const entries = createCache<Entry>({ maxBytes: mostBytes, bytesOf });
  const reading = new Map<string, Promise<KnownClient>>();

  async function read(clientId: string): Promise<KnownClient> {
    const readAtMs = elapsedMs();
    const client = await store.find(clientId);
    const entry: Entry = { client, readAtMs, rereadAtMs: readAtMs + rereadAgeMs };
    entries.set(clientId, entry);
    return entry;
  }

  const readOnce = (clientId: string): Promise<KnownClient> =>
    getOrAdd(reading, clientId, () => read(clientId).finally(() => reading.delete(clientId)));

  function peek(clientId: string): KnownClient | undefined {
    const entry = entries.get(clientId);
    if (!entry) return undefined;
    const nowMs = elapsedMs();
    if (nowMs - entry.readAtMs > mostAgeMs) return undefined;
    if (nowMs >= entry.rereadAtMs) {
      entry.rereadAtMs = nowMs + rereadPauseMs;
      readOnce(clientId).catch(leaveToFind);
    }
    return entry;
  }

  return {
    peek,
    async find(clientId, session = 0) {
      const known = peek(clientId);
      return known && (known.client?.session ?? session) >= session ? known : readOnce(clientId);
    },
  };
}

/** Ignores a failed refresh: `find` reads again and reports the failure. */
function leaveToFind(): void {}

function bytesOf({ client }: Entry): number {
  if (!client) return bytesOfObject;
  const { name, secretHash, scopes, origins } = client;
  const texts = [name, secretHash, ...scopes, ...origins];
  return texts.reduce((sum, text) => sum + textBytes(text), 2 * bytesOfObject);
}
