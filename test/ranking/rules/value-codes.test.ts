import test from 'ava';
import { createCatalog } from '../../../src/ranking/catalog/catalog.ts';
import { createMatchSets } from '../../../src/ranking/rules/match-sets.ts';
import { noValue, severalValues, type ValueCodes } from '../../../src/ranking/rules/value-codes.ts';

function createWorld() {
  const catalog = createCatalog({ itemTypes: ['product'], properties: [], changeCapacity: 4 });
  const matchSets = createMatchSets({ catalog, maxBytes: 10_000 });
  let revision = 0;
  const put = (itemId: string, tags?: string[]) => {
    revision += 1;
    catalog.apply({ itemType: 'product', itemId, document: { tags }, enabled: true, revision });
  };
  return { put, matchSets };
}

const codesOf = ({ codes }: ValueCodes, count: number) => [...codes.subarray(0, count)];

test('items with the same single value have the same code; no value and several values have codes of their own', (t) => {
  const { put, matchSets } = createWorld();
  for (const [i, tags] of [['x'], ['y'], ['x'], undefined, ['x', 'y']].entries()) put(String(i), tags);
  const [x, y, again, none, several] = codesOf(matchSets.valuesOf('tags')!, 5);
  t.is(x, again);
  t.not(x, y);
  t.deepEqual([none, several], [noValue, severalValues]);
});

test('codes follow the catalogue, also after more changes than its log holds', (t) => {
  const { put, matchSets } = createWorld();
  put('0', ['x']);
  put('1', ['y']);
  const [x, y] = codesOf(matchSets.valuesOf('tags')!, 2);
  put('1', ['x']);
  t.deepEqual(codesOf(matchSets.valuesOf('tags')!, 2), [x, x]);
  for (let i = 0; i < 10; i++) put(String(i), [i % 2 ? 'y' : 'x']);
  const codes = codesOf(matchSets.valuesOf('tags')!, 10);
  t.is(new Set(codes).size, 2);
  t.deepEqual(
    codes.map((code) => code === codes[0]),
    codes.map((_, i) => i % 2 === 0),
  );
  t.not(y, x);
});

test('values cover the catalogue when each item has exactly one of them', (t) => {
  const { put, matchSets } = createWorld();
  put('0', ['x']);
  put('1', ['y']);
  const marks = (...marked: number[]) => Uint8Array.from({ length: 4 }, (_, code) => +marked.includes(code));
  const values = matchSets.valuesOf('tags')!;
  const [x, y] = codesOf(values, 2);
  t.true(values.isCovered(marks(x, y)));
  t.false(values.isCovered(marks(x)));
  put('1', ['x']);
  t.true(matchSets.valuesOf('tags')!.isCovered(marks(x)));
  put('2');
  t.false(matchSets.valuesOf('tags')!.isCovered(marks(x, y)));
  for (let i = 0; i < 10; i++) put(String(i), ['x', 'y']);
  t.false(matchSets.valuesOf('tags')!.isCovered(marks(x, y)));
  for (let i = 0; i < 10; i++) put(String(i), ['x']);
  const rebuilt = matchSets.valuesOf('tags')!;
  t.true(rebuilt.isCovered(marks(rebuilt.codes[0])));
});

test('a key that the catalogue does not know has no codes', (t) => {
  t.is(createWorld().matchSets.valuesOf('colour'), undefined);
});
