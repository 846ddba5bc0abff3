/** Which items a search or a completion may find at all. */
import type { Catalog } from '../../catalog/catalog.ts';
import type { Matcher, Value } from '../../catalog/typed-columns.ts';
import type { RememberedTests } from './remembered-tests.ts';

export type FieldFilter = { field: string; values: readonly Value[] };

export type Conditions = {
  /** Milliseconds since the epoch; what is published later is not found. */
  nowMs: number;
  /** All must hold; within one, any of the values. An unknown field holds for nothing. */
  filters?: readonly FieldFilter[];
  /** A further condition, such as a remembered set of a filter; asked only of would-be winners. */
  admits?: (itemIndex: number) => boolean;
};

export type Admission = (conditions: Conditions) => (itemIndex: number) => boolean;

/** The conditions as one test. */
export function createAdmission(catalog: Catalog, tests: RememberedTests): Admission {
  const never = (): boolean => false;
  const testOf = ({ field, values }: FieldFilter): Matcher =>
    tests.get(
      JSON.stringify([field, values]),
      () => catalog.column(field)?.matcher({ oneOf: values }) ?? never,
    );
  return ({ nowMs, filters = [], admits }) => {
    const matchers = filters.map(testOf);
    if (matchers.length === 0 && !admits) return (itemIndex) => catalog.servable(itemIndex, nowMs);
    return (itemIndex) =>
      matchers.every((matches) => matches(itemIndex)) &&
      catalog.servable(itemIndex, nowMs) &&
      (admits?.(itemIndex) ?? true);
  };
}
