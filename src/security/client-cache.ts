/**
 * What the database says of a client, at most ten seconds old.
 *
 * Tokens are verified without the database, so this is what stops those of a disabled client: a client disabled on any node is
 * refused everywhere within `mostAgeMs`. From half that age on, the next use reads it again in the background, so a busy
 * client never waits. When the database cannot be reached and the last answer is too old, `find` fails (UNAVAILABLE) rather
 * than trust it.
 */
import { createCache, textBytes } from '../ranking/runtime/cache.ts';
import type { Client, ClientStore } from './clients.ts';

/** `client` is undefined when the database has none of that id: absence is remembered too. */
export type KnownClient = { client: Client | undefined };

export type ClientCache = {
  /** What is known without waiting; undefined when that is nothing, or too old. */
  peek(clientId: string): KnownClient | undefined;
  find(clientId: string): Promise<KnownClient>;
};

type Entry = KnownClient & { readAtMs: number; rereadAtMs: number };

const mostAgeMs = 10_000;
const rereadAgeMs = 5_000;
const rereadPauseMs = 1_000;
/** Of some 10,000 usual clients. */
const mostBytes = 16 * 1024 * 1024;

/** Of an entry, and of a client beside its texts. */
const bytesOfObject = 500;

export type ClientCacheOptions = {
  store: Pick<ClientStore, 'find'>;
  /** Milliseconds on a clock that never goes back. */
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

  function readOnce(clientId: string): Promise<KnownClient> {
    const current = reading.get(clientId);
    if (current) return current;
    const started = read(clientId).finally(() => reading.delete(clientId));
    reading.set(clientId, started);
    return started;
  }

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

  return { peek, find: async (clientId) => peek(clientId) ?? readOnce(clientId) };
}

/** A failed reading in the background changes nothing; once the entry is too old, `find` meets the failure itself. */
function leaveToFind(): void {}

function bytesOf({ client }: Entry): number {
  if (!client) return bytesOfObject;
  const { name, secretHash, scopes, origins } = client;
  const texts = [name, secretHash, ...scopes, ...origins];
  return texts.reduce((sum, text) => sum + textBytes(text), 2 * bytesOfObject);
}
