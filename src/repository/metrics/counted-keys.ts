/**
 * Whom this node has counted already, so that they are not sent to be counted again: a person is seen many times in an hour, and counts once.
 *
 * Only a crash of the database server takes back what was counted, with the aggregation that did it; these events are then aggregated from
 * their table, where nobody is asked for here. So this may be incomplete, but nobody goes uncounted. In two generations, of which
 * the older is forgotten.
 */
import { textBytes } from '../../ranking/runtime/cache.ts';
import type { Forget } from '../../ranking/runtime/forgetting.ts';
import type { SeenKey } from './metric-batch.ts';

/** Of a generation: some 100,000 usual ids. */
const mostBytes = 32 * 1024 * 1024;

/** Of an entry beside its characters. */
const entryBytes = 60;

export type CountedKeys = {
  has(key: SeenKey): boolean;
  add(keys: Iterable<SeenKey>): void;
  forget: Forget;
};

export function createCountedKeys(): CountedKeys {
  let recent = new Set<string>();
  let former = new Set<string>();
  /** Of the recent ones, at most: some may have been forgotten since. */
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

/** A key is counted with the combinations it was seen in. */
function textOf({ kind, hour, environment, key, dimensions }: SeenKey): string {
  return `${kind}${hour} ${dimensions.join()} ${environment}\0${key}`;
}

function readUser(text: string): [environment: string, subject: string] {
  const end = text.indexOf('\0');
  return [text.slice(text.lastIndexOf(' ', end) + 1, end), `u:${text.slice(end + 1)}`];
}
