/** Which items a search or a completion may find at all. */
import type { Catalog } from '../../catalog/catalog.ts';
import { createServableItems, itemsPerAnswer, type ServableItems } from '../../catalog/servable-items.ts';
import type { Matcher, Value } from '../../catalog/typed-columns.ts';
import type { Memory } from '../remembered.ts';
import { passing, type RememberedTests } from './remembered-tests.ts';

export type FieldFilter = { field: string; values: readonly Value[] };

export type Conditions = {
  /** Milliseconds since the epoch; what is published later is not found. */
  nowMs: number;
  /** All must hold; within one, any of the values. An unknown field holds for nothing. */
  filters?: readonly FieldFilter[];
  /** A further condition, such as a remembered set of a filter; asked only of would-be winners. */
  admits?: (itemIndex: number) => boolean;
};

/** The items that a search finds something among. */
export type Among = {
  admits: (itemIndex: number) => boolean;
  /** Where both are the same, so are the items; absent for a test of somebody else's. */
  known?: Memory;
};

export type Admission = {
  /** The conditions as one test. */
  testOf(conditions: Conditions): (itemIndex: number) => boolean;
  /** The same, good until the next write or call. */
  amongOf(conditions: Conditions): Among;
  /** The same for whoever asks about all items. Good until the next call or write. */
  admittedBy(conditions: Conditions): Admitted;
};

export type Admitted = {
  /** A byte an item, 1 for what is admitted. */
  bytes: Uint8Array;
  /** All that can be shown; its bytes are the admitted ones where nothing is filtered. */
  showable: Showable;
};

/** `version` is another one whenever the bytes or anything of an item may have changed. */
export type Showable = Pick<ServableItems, 'bytes' | 'count' | 'version'>;

export function createAdmission(catalog: Catalog, tests: RememberedTests): Admission {
  const servable = createServableItems(catalog);
  const never = (): boolean => false;
  const keyOf = ({ field, values }: FieldFilter): string => JSON.stringify([field, values]);
  const matcherOf = ({ field, values }: FieldFilter) =>
    catalog.column(field)?.matcher({ oneOf: values }) ?? never;
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
    testOf: testOfAll,
    amongOf(conditions) {
      const { nowMs, filters = [] } = conditions;
      if (!servable.moveTo(nowMs, itemsPerAnswer)) return { admits: testOfAll(conditions) };
      const { bytes, version, shownVersion } = servable;
      const admits = testAll(conditions, (itemIndex) => bytes[itemIndex] === 1);
      if (conditions.admits) return { admits };
      const isFiltered = filters.length > 0;
      const known = { key: filters.map(keyOf).join(), version: isFiltered ? version : shownVersion };
      return { admits, known };
    },
    admittedBy({ nowMs, filters = [], admits }) {
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

/** What both admit. */
export function both(one: Among, other: Among): Among {
  const admits = (itemIndex: number): boolean => one.admits(itemIndex) && other.admits(itemIndex);
  if (!one.known || !other.known) return { admits };
  const key = JSON.stringify([one.known.key, other.known.key]);
  return { admits, known: { key, version: one.known.version + other.known.version } };
}

function keepPassing(bytes: Uint8Array, answers: Uint8Array): void {
  for (let i = 0; i < bytes.length; i++) if (answers[i] !== passing) bytes[i] = 0;
}
