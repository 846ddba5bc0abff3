/**
 * A cache that is bounded by bytes and evicts the least recently used entries first.
 *
 * The size of an entry is estimated once, when it is set. A long key is replaced by its digest, so
 * that callers cannot fill a cache with keys; `deleteWhere` therefore sees values only.
 */
import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';

export type CacheOptions<Value> = {
  /** Bound of all entries together; an entry above it is not stored. */
  maxBytes: number;
  /** Returns the bytes of a value when it is set, a whole number [0]. */
  bytesOf?: (value: Value) => number;
  /** Milliseconds until an entry expires [unlimited]. */
  lifetimeMs?: number;
};

export type Cache<Value extends NonNullable<unknown>, Key extends string | number = string> = {
  /** Returns the value and makes its entry the most recently used one. */
  get(key: Key): Value | undefined;
  /** Returns the value without counting as a use. */
  peek(key: Key): Value | undefined;
  set(key: Key, value: Value): void;
  delete(key: Key): void;
  deleteWhere(isGone: (value: Value) => boolean): void;
  clear(): void;
  readonly entryCount: number;
  /** Estimated bytes of all entries. */
  readonly bytes: number;
};

/** Overhead of an entry: slots in five arrays and a hash table, and the key's header. */
export const entryBytes = 150;

/** Characters; usual keys (an environment, a device and a user) are shorter. */
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
      /** The library does not measure a value again that it holds already. */
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

/** Returns a function that computes a value once in the lifetime of each object. */
export function memoizeByObject<Key extends object, Value>(
  compute: (key: Key) => Value,
): (key: Key) => Value {
  const known = new WeakMap<Key, { value: Value }>();
  return (key) => {
    let entry = known.get(key);
    if (entry === undefined) {
      entry = { value: compute(key) };
      known.set(key, entry);
    }
    return entry.value;
  };
}

/** Copies a text, because a substring keeps the whole text in memory. */
export function copyOf(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le');
}

/** Returns the most bytes that a text takes in memory. */
export function textBytes(text: string | undefined): number {
  return text === undefined ? 0 : text.length * 2;
}

function keyBytes(key: string | number): number {
  return typeof key === 'string' ? textBytes(key) : 0;
}

/** Uses a digest without known collisions, which takes 1 µs and one more per kilobyte. */
function shortened(key: string | number): string | number {
  return typeof key === 'string' && key.length > longestKey ? hash('sha256', key, 'base64url') : key;
}
