import test from 'ava';
import { createCatalog } from '../../../src/ranking/catalog/catalog.ts';
import { createVariableLookup, toVariable } from '../../../src/ranking/lists/variables.ts';

const catalog = createCatalog({
  properties: [{ name: 'brand', type: 'string' }],
  itemTypes: ['article'],
});
const document = { title: 'T', brand: 'b', tags: ['x', 'y'], item_attributes: { size: 3 } };
const contextIndex = catalog.apply({
  itemType: 'article',
  itemId: 'a',
  document,
  enabled: true,
  revision: 1,
});

const fromItem = (name: string, index: number | undefined = contextIndex) =>
  createVariableLookup(() => undefined, catalog, index)({ name, context: 'item', onAbsentDrop: false });

const metadata: [name: string, values: unknown][] = [
  ['brand', ['b']],
  ['title', ['T']],
  ['tags', ['x', 'y']],
  ['item_id', ['a']],
  ['item_type', ['article']],
  ['item_attributes.size', [3]],
  ['language', undefined],
  ['item_attributes.colour', undefined],
  ['nothing', undefined],
];

for (const [name, values] of metadata) {
  test(`of the context item, ${name} is ${JSON.stringify(values)}`, (t) => {
    t.deepEqual(fromItem(name) as unknown, values);
  });
}

test('without a context item its metadata is absent', (t) => {
  t.is(
    createVariableLookup(
      () => 'x',
      catalog,
      undefined,
    )({ name: 'brand', context: 'item', onAbsentDrop: false }),
    undefined,
  );
});

const given: [value: unknown, variable: unknown][] = [
  ['x', 'x'],
  ['', ''],
  [0, 0],
  [false, false],
  [
    ['a', 1, true],
    ['a', 1, true],
  ],
  [[], []],
  [null, undefined],
  [{ a: 1 }, undefined],
  [['a', null], undefined],
  [[['a']], undefined],
];

for (const [value, variable] of given) {
  test(`${JSON.stringify(value)} as a variable is ${JSON.stringify(variable) ?? 'absent'}`, (t) => {
    t.deepEqual(toVariable(value) as unknown, variable);
  });
}
