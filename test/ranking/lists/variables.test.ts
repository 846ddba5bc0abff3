import test from 'ava';
import { createCatalog } from '../../../src/ranking/catalog/catalog.ts';
import type { HistoryEntry } from '../../../src/ranking/history.ts';
import { createVariableLookup, toVariable } from '../../../src/ranking/lists/variables.ts';
import type { Variable } from '../../../src/ranking/rules/types.ts';

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
  createVariableLookup({ readRequest: () => undefined, catalog, contextIndex: index, nowMs: 0 })({
    name,
    context: 'item',
    onAbsentDrop: false,
  });

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
  test(`${name} of the context item is ${JSON.stringify(values)}`, (t) => {
    t.deepEqual(fromItem(name) as unknown, values);
  });
}

test('without a context item its metadata is absent', (t) => {
  const lookUp = createVariableLookup({ readRequest: () => 'x', catalog, nowMs: 0 });
  t.is(lookUp({ name: 'brand', context: 'item', onAbsentDrop: false }), undefined);
});

for (const [place, brand] of ['b', 'c', 'd', undefined].entries())
  catalog.apply({
    itemType: 'article',
    itemId: `of ${place}`,
    document: { brand },
    enabled: true,
    revision: 1,
  });

/** Newest last, and out of order. The catalogue does not know one item, and one has no brand. */
const entries = (
  [
    [90, 'purchase', 'of 0'],
    [10, 'purchase', 'of 1'],
    [40, 'detail_pageview', 'of 2'],
    [5, 'detail_pageview', 'of 3'],
    [20, 'purchase', 'gone'],
    [30, 'purchase', 'of 1'],
  ] as const
).map(([daysAgo, eventType, itemId]) => ({
  ...{ eventType, itemId, itemType: 'article', occurredAtSeconds: -daysAgo * 86_400 },
}));
const longAgo = { ...entries[0], itemId: 'of 2', occurredAtSeconds: -400 * 86_400 };

const disliked: HistoryEntry = { ...entries[0], eventType: 'item_interaction', qualifier: 'dislike' };

const own: [variable: Partial<Variable>, values: unknown][] = [
  [{}, ['c', 'd', 'b']],
  [{ events: ['purchase'] }, ['c', 'b', 'd']],
  [{ events: ['purchase', 'detail_pageview'], days: 60 }, ['c', 'd']],
  [{ events: ['purchase'], days: 90 }, ['c', 'b']],
  [{ events: ['purchase'], days: 9 }, undefined],
  [{ maxValues: 2 }, ['c', 'd']],
  [{ name: 'item_id', events: ['detail_pageview'] }, ['of 3', 'of 2']],
  [{ events: ['item_interaction'] }, undefined],
  [{ name: 'nothing' }, undefined],
  [{ disliked: true }, ['b']],
  [{ disliked: true, name: 'item_id' }, ['of 0']],
  [{ disliked: true, days: 90 }, ['b']],
  [{ disliked: true, days: 89 }, undefined],
];

for (const [variable, values] of own) {
  test(`of the history, ${JSON.stringify(variable)} is ${JSON.stringify(values)}`, (t) => {
    const takenBack = { ...disliked, itemId: 'of 2' };
    const liked = { ...takenBack, qualifier: 'undislike', occurredAtSeconds: -86_400 * 80 };
    const namesake = { ...liked, itemType: 'video', itemId: 'of 0' };
    const opinions = variable.disliked ? [disliked, takenBack, liked, namesake] : [disliked];
    const history = { entries: [...entries, ...opinions], consumed: [longAgo] };
    const lookUp = createVariableLookup({ readRequest: () => 'x', catalog, history, nowMs: 0 });
    const read = lookUp({ name: 'brand', context: 'history', onAbsentDrop: true, ...variable });
    t.deepEqual(read as unknown, values);
  });
}

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
