/**
 * Remembers keys that this node has counted: a key counts once an hour and is not sent again.
 *
 * A crash of the database server undoes counts together with their aggregation. These events are
 * then aggregated from their table, without this cache. So entries may be missing, but no key stays
 * uncounted. The cache has two generations and drops the older one.
 */
import { textBytes } from '../../ranking/runtime/cache.ts';
import type { Forget } from '../../ranking/runtime/forgetting.ts';
import type { SeenKey } from './metric-batch.ts';

/** Bytes per generation: some 100,000 typical ids. */
const mostBytes = 32 * 1024 * 1024;

/** Overhead of an entry beside its characters, in bytes. */
const entryBytes = 60;

export type CountedKeys = {
  has(key: SeenKey): boolean;
  add(keys: Iterable<SeenKey>): void;
  forget: Forget;
};

export function createCountedKeys(): CountedKeys {
  let recent = new Set<string>();
  let former = new Set<string>();
  /** Upper bound for the recent generation, since deleted entries are not subtracted. */
  let bytes = 0;
  return {
    has(key) {
      const text = textOf(key);
      return recent.has(text) || former.has(text);
    },
    add(keys) {
      for (const key of keys) {
        const text = textOf(key);
        if (recent.has(text)) continue;
        if (bytes >= mostBytes) {
          [recent, former] = [new Set(), recent];
          bytes = 0;
        }
        recent.add(text);
        bytes += entryBytes + textBytes(text);
      }
    },
    forget(isGone) {
      for (const texts of [recent, former])
        for (const text of texts) if (text.startsWith('u') && isGone(...readUser(text))) texts.delete(text);
    },
  };
}

/** Includes the combinations, since a key counts with each of them. */
function textOf({ kind, hour, environment, key, dimensions }: SeenKey): string {
  return `${kind}${hour} ${dimensions.join()} ${environment}\0${key}`;
}

function readUser(text: string): [environment: string, subject: string] {
  const end = text.indexOf('\0');
  return [text.slice(text.lastIndexOf(' ', end) + 1, end), `u:${text.slice(end + 1)}`];
}
