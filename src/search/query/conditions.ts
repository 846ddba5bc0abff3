/** Which items a search or a completion may find at all. */
import type { Catalog } from '../../catalog/catalog.ts';
import { createServableItems, type ServableItems } from '../../catalog/servable-items.ts';
import type { Matcher, Value } from '../../catalog/typed-columns.ts';
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

export type Admission = {
  /** The conditions as one test. */
  testOf(conditions: Conditions): (itemIndex: number) => boolean;
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
  return {
    testOf({ nowMs, filters = [], admits }) {
      const matchers = filters.map(testOf);
      if (matchers.length === 0 && !admits) return (itemIndex) => catalog.servable(itemIndex, nowMs);
      return (itemIndex) =>
        matchers.every((matches) => matches(itemIndex)) &&
        catalog.servable(itemIndex, nowMs) &&
        (admits?.(itemIndex) ?? true);
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

function keepPassing(bytes: Uint8Array, answers: Uint8Array): void {
  for (let i = 0; i < bytes.length; i++) if (answers[i] !== passing) bytes[i] = 0;
}
