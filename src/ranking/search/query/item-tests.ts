/**
 * Cached tests of items, and the conditions of a search made of them.
 *
 * A test's answers are cached in one byte an item, filled in as items are tested; unlike a set made
 * ahead, a new filter costs nothing before it is used. Changed items are tested again; the least
 * recently used answers go when memory is short.
 */
import type { Catalog } from '../../catalog/catalog.ts';
import { createServableItems, itemsPerAnswer, type ServableItems } from '../../catalog/servable-items.ts';
import type { Matcher, Value } from '../../catalog/typed-columns.ts';
import { createCache } from '../../runtime/cache.ts';
import type { VersionedKey } from '../versioned-cache.ts';
import { isWithin, type Range } from './facet-counts.ts';

export type ItemTests = ReturnType<typeof createItemTests>;

const mostBytes = 32 * 1024 * 1024;

const unknown = 0;
const no = 1;
const yes = 2;

/** The byte of an item that passes. */
export const passing = yes;

/** Spare bytes for items that arrive later. */
const spareShare = 1.25;

/** All answers below `knownUntil` are known. */
type KnownAnswers = { answers: Uint8Array; position: number; knownUntil: number };

export function createItemTests(catalog: Catalog) {
  const memories = createCache<KnownAnswers>({
    maxBytes: mostBytes,
    bytesOf: ({ answers }) => answers.length,
  });

  const fresh = (): KnownAnswers => {
    const answers = new Uint8Array(Math.ceil(catalog.itemCount * spareShare) + 64);
    return { answers, position: catalog.changes.position, knownUntil: 0 };
  };

  /** Returns whether the answers could be brought up to date. */
  const catchUp = (memory: KnownAnswers): boolean => {
    if (memory.answers.length < catalog.itemCount) return false;
    const followed = catalog.changes.visitSince(memory.position, (item) => {
      memory.answers[item] = unknown;
      memory.knownUntil = Math.min(memory.knownUntil, item);
    });
    memory.position = catalog.changes.position;
    return followed;
  };

  const recall = (key: string): KnownAnswers => {
    const known = memories.get(key);
    if (known && catchUp(known)) return known;
    const memory = fresh();
    memories.set(key, memory);
    return memory;
  };

  return {
    /** Tests all items: one byte each, `passing` for those that pass. Valid until the next call or write. */
    all(key: string, createTest: () => Matcher): Uint8Array {
      const memory = recall(key);
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
    /** @param key identifies the test; valid until the catalogue's next write */
    get(key: string, createTest: () => Matcher): Matcher {
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

export type FieldFilter = { field: string; values: readonly Value[] /** For numbers. */; range?: Range };

export type Conditions = {
  /** Milliseconds since the epoch; items published later are not found. */
  nowMs: number;
  /** All must hold; within one, any of the values. Filters on unknown fields hold for no item. */
  filters?: readonly FieldFilter[];
  /** A further test, called only for items that would be hits. */
  admits?: (itemIndex: number) => boolean;
};

/** The items among which a search finds. */
export type ItemFilter = {
  admits: (itemIndex: number) => boolean;
  /** Identifies the set of items; absent when a caller's own test is part of it. */
  known?: VersionedKey;
};

export type Admission = ReturnType<typeof createAdmission>;

export type AdmittedItems = {
  /** One byte an item, 1 for admitted ones. */
  bytes: Uint8Array;
  /** All items that can be shown; has the same bytes when nothing is filtered. */
  showable: ShowableItems;
};

/** `version` changes whenever the bytes or any item may have changed. */
export type ShowableItems = Pick<ServableItems, 'bytes' | 'count' | 'version'>;

export function createAdmission(catalog: Catalog, tests: ItemTests) {
  const servable = createServableItems(catalog);
  const never = (): boolean => false;
  const keyOf = ({ field, values, range }: FieldFilter): string => JSON.stringify([field, values, range]);
  const matcherOf = ({ field, values, range }: FieldFilter): Matcher =>
    catalog
      .column(field)
      ?.matcher(range ? { number: (number) => isWithin(number, range) } : { oneOf: values }) ?? never;
  const testOf = (filter: FieldFilter): Matcher => tests.get(keyOf(filter), () => matcherOf(filter));

  const testAll = (
    { filters = [], admits }: Conditions,
    canBeShown: (itemIndex: number) => boolean,
  ): ((itemIndex: number) => boolean) => {
    const matchers = filters.map(testOf);
    if (matchers.length === 0 && !admits) return canBeShown;
    return (itemIndex) =>
      matchers.every((matches) => matches(itemIndex)) &&
      canBeShown(itemIndex) &&
      (admits?.(itemIndex) ?? true);
  };

  const testOfAll = (conditions: Conditions): Matcher =>
    testAll(conditions, (itemIndex) => catalog.servable(itemIndex, conditions.nowMs));

  return {
    /** Returns the conditions as a filter, valid until the next write or call. */
    amongOf(conditions: Conditions): ItemFilter {
      const { nowMs, filters = [] } = conditions;
      if (!servable.moveTo(nowMs, itemsPerAnswer)) return { admits: testOfAll(conditions) };
      const { bytes, version, shownVersion } = servable;
      const admits = testAll(conditions, (itemIndex) => bytes[itemIndex] === 1);
      if (conditions.admits) return { admits };
      const isFiltered = filters.length > 0;
      const known = { key: filters.map(keyOf).join(), version: isFiltered ? version : shownVersion };
      return { admits, known };
    },
    /** Tests all items, for facets. Valid until the next call or write. */
    admittedBy({ nowMs, filters = [], admits }: Conditions): AdmittedItems {
      servable.moveTo(nowMs);
      const showable = { bytes: servable.bytes, count: servable.count, version: servable.version };
      if (filters.length === 0 && !admits) return { bytes: showable.bytes, showable };
      const bytes = servable.bytes.slice(0, catalog.itemCount);
      for (const filter of filters)
        keepPassing(
          bytes,
          tests.all(keyOf(filter), () => matcherOf(filter)),
        );
      if (admits) for (let i = 0; i < bytes.length; i++) if (bytes[i] === 1 && !admits(i)) bytes[i] = 0;
      return { bytes, showable };
    },
  };
}

/** Returns the items that pass both filters. */
export function both(one: ItemFilter, other: ItemFilter): ItemFilter {
  const admits = (itemIndex: number): boolean => one.admits(itemIndex) && other.admits(itemIndex);
  if (!one.known || !other.known) return { admits };
  const key = JSON.stringify([one.known.key, other.known.key]);
  return { admits, known: { key, version: one.known.version + other.known.version } };
}

function keepPassing(bytes: Uint8Array, answers: Uint8Array): void {
  for (let i = 0; i < bytes.length; i++) if (answers[i] !== passing) bytes[i] = 0;
}
