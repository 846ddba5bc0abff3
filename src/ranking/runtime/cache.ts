/**
 * A cache that is bounded by bytes. The least recently used entries leave first.
 *
 * The size of an entry is an estimate, made once when the entry is set. A long key is held as its digest, so that callers cannot
 * fill a cache with keys; values therefore hold whatever is needed to tell whose they are.
 */
import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';

export type CacheOptions<Value> = {
  /** Bytes of all entries together. An entry that is larger is not kept. */
  maxBytes: number;
  /** Bytes of a value, a whole number [0: the value is shared, or as good as nothing]. Called once, when the value is set. */
  bytesOf?: (value: Value) => number;
  /** Milliseconds after which an entry is no longer returned [no limit]. */
  lifetimeMs?: number;
};

export type Cache<Value extends NonNullable<unknown>, Key extends string | number = string> = {
  /** Returns the value, and makes its entry the most recently used one. */
  get(key: Key): Value | undefined;
  /** Returns the value without counting as a use. */
  peek(key: Key): Value | undefined;
  set(key: Key, value: Value): void;
  delete(key: Key): void;
  deleteWhere(isGone: (value: Value) => boolean): void;
  clear(): void;
  readonly entryCount: number;
  /** Bytes of all entries, estimated. */
  readonly bytes: number;
};

/** Bytes of an entry besides its key and value: a slot in each of five arrays and in a hash table, and the head of the key. */
export const entryBytes = 150;

/** Characters; the usual keys (ids of an environment, a device and a user) are shorter. */
const longestKey = 200;

export function createCache<Value extends NonNullable<unknown>, Key extends string | number = string>(
  options: CacheOptions<Value>,
): Cache<Value, Key> {
  const { maxBytes, bytesOf = () => 0, lifetimeMs } = options;
  const kept = new LRUCache<string | number, Value>({
    maxSize: maxBytes,
    sizeCalculation: (value, key) => entryBytes + keyBytes(key) + bytesOf(value),
    ttl: lifetimeMs,
  });
  return {
    get: (key) => kept.get(shortened(key)),
    peek: (key) => kept.peek(shortened(key)),
    set(key, value) {
      const shortKey = shortened(key);
      /** The library does not look at the size of a value that is there already. */
      if (kept.peek(shortKey) === value) kept.delete(shortKey);
      kept.set(shortKey, value);
    },
    delete: (key) => void kept.delete(shortened(key)),
    deleteWhere(isGone) {
      for (const [key, value] of kept) if (isGone(value)) kept.delete(key);
    },
    clear: () => kept.clear(),
    get entryCount() {
      return kept.size;
    },
    get bytes() {
      return kept.calculatedSize;
    },
  };
}

/** Copies a text. A part of a text keeps the whole of it in memory; its copy does not. */
export function copyOf(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le');
}

/** Bytes of a text in memory, at most. */
export function textBytes(text: string | undefined): number {
  return text === undefined ? 0 : text.length * 2;
}

function keyBytes(key: string | number): number {
  return typeof key === 'string' ? textBytes(key) : 0;
}

/** The digest is one that nobody finds two keys of. It takes a microsecond, and one more each kilobyte. */
function shortened(key: string | number): string | number {
  return typeof key === 'string' && key.length > longestKey ? hash('sha256', key, 'base64url') : key;
}
