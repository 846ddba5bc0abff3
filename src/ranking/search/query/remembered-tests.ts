/**
 * Tests on items whose answers are remembered between requests: one byte an item, filled in as items are asked about.
 *
 * Other than a set made ahead, a new filter costs nothing before it is used, and then only for the items that a query would
 * show. An item that changed is asked about again; what is used least goes when memory is short.
 */
import type { Catalog } from '../../catalog/catalog.ts';
import type { Matcher } from '../../catalog/typed-columns.ts';
import { createCache } from '../../runtime/cache.ts';

export type RememberedTests = {
  /** @param key says the same as `createTest`; good until the catalogue's next write */
  get(key: string, createTest: () => Matcher): Matcher;
  /** The same of all items: a byte each, `passing` for those that pass. Good until the next call or write. */
  all(key: string, createTest: () => Matcher): Uint8Array;
};

const mostBytes = 32 * 1024 * 1024;
/** Longer keys (a filter of hundreds of values) are tested anew for each request. */
const longestKey = 2_000;

const unknown = 0;
const no = 1;
const yes = 2;

/** What `all` says of an item that passes. */
export const passing = yes;

/** Room for items that arrive later, so that not every new one makes a new array. */
const spareShare = 1.25;

/** `knownUntil`: below it all answers are known. */
type Memory = { answers: Uint8Array; position: number; knownUntil: number };

export function createRememberedTests(catalog: Catalog): RememberedTests {
  const memories = createCache<Memory>({ maxBytes: mostBytes, bytesOf: ({ answers }) => answers.length });

  const fresh = (): Memory => {
    const answers = new Uint8Array(Math.ceil(catalog.itemCount * spareShare) + 64);
    return { answers, position: catalog.changes.position, knownUntil: 0 };
  };

  /** Whether the memory could be brought up to date. */
  const catchUp = (memory: Memory): boolean => {
    if (memory.answers.length < catalog.itemCount) return false;
    const followed = catalog.changes.visitSince(memory.position, (item) => {
      memory.answers[item] = unknown;
      memory.knownUntil = Math.min(memory.knownUntil, item);
    });
    memory.position = catalog.changes.position;
    return followed;
  };

  const recall = (key: string): Memory => {
    const known = memories.get(key);
    if (known && catchUp(known)) return known;
    const memory = fresh();
    memories.set(key, memory);
    return memory;
  };

  return {
    all(key, createTest) {
      const memory = key.length > longestKey ? fresh() : recall(key);
      const { answers } = memory;
      let test: Matcher | undefined;
      for (let itemIndex = memory.knownUntil; itemIndex < catalog.itemCount; itemIndex++) {
        if (answers[itemIndex] !== unknown) continue;
        test ??= createTest();
        answers[itemIndex] = test(itemIndex) ? yes : no;
      }
      memory.knownUntil = catalog.itemCount;
      return answers;
    },
    get(key, createTest) {
      if (key.length > longestKey) return createTest();
      const { answers } = recall(key);
      let test: Matcher | undefined;
      return (itemIndex) => {
        if (answers[itemIndex] === unknown) {
          test ??= createTest();
          answers[itemIndex] = test(itemIndex) ? yes : no;
        }
        return answers[itemIndex] === yes;
      };
    },
  };
}
