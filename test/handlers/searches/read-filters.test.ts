/** Filters are converted to the type of their field, or refused: a row per value. */
import test from 'ava';
import type { PropertyDefinition, PropertyType } from '../../../src/deployment/deployment.ts';
import { readFilters } from '../../../src/handlers/searches/read-search.ts';

const types: Record<string, PropertyType> = {
  brand: 'string',
  price: 'number',
  in_stock: 'boolean',
  released: 'datetime',
};
const properties = new Map(
  Object.entries(types).map(([name, type]) => [name, { name, type } as PropertyDefinition]),
);
const settings = { filterFields: new Set([...properties.keys(), 'categories']), properties };

const rows: [field: string, given: never, read: unknown[] | 'refused' | 'no filter'][] = [
  ['price', '10' as never, [10]],
  ['price', ['10', 12.5] as never, [10, 12.5]],
  ['price', 'cheap' as never, 'refused'],
  ['price', '10-50' as never, 'refused'],
  ['price', true as never, 'refused'],
  ['price', '' as never, 'refused'],
  ['in_stock', 'true' as never, [true]],
  ['in_stock', 0 as never, [false]],
  ['in_stock', 'maybe' as never, 'refused'],
  ['released', '2026-11-01' as never, ['2026-11-01']],
  ['released', 'yesterday' as never, 'refused'],
  ['brand', 42 as never, ['42']],
  ['brand', [] as never, 'no filter'],
  ['brand', { min: 1 } as never, 'refused'],
  ['categories', 'Food' as never, ['Food']],
  ['size', 'L' as never, 'refused'],
];

for (const [field, given, read] of rows)
  test(`${field}: ${JSON.stringify(given)} is ${JSON.stringify(read)}`, (t) => {
    const { filters, violations } = readFilters({ [field]: given }, settings);
    t.is(violations.length, read === 'refused' ? 1 : 0);
    t.deepEqual(filters, Array.isArray(read) ? [{ field, values: read as never }] : []);
  });

test('picked values may name ranges of numbers', (t) => {
  const { filters } = readFilters({ price: '10-50' }, settings, '/facet_filters');
  t.deepEqual(filters, [{ field: 'price', values: ['10-50'] }]);
});
