/** Texts that look alike are equal, however their accents are coded. */
import test from 'ava';
import { createMatcher } from '../../../src/ranking/rules/predicates.ts';
import { createWorld } from '../search/support/world.ts';

const [composed, decomposed] = ['Nestlé', 'Nestlé'.normalize('NFD')];
const world = createWorld([
  { id: 'milk', title: `Milk powder ${decomposed}`, brand: decomposed, categories: [`Food/${decomposed}`] },
  { id: 'cocoa', title: `Cocoa powder ${composed}`, brand: composed, categories: [`Food/${composed}`] },
]);

for (const value of [composed, decomposed])
  for (const [field, wanted] of [
    ['brand', value],
    ['categories', `Food/${value}`],
  ])
    test(`${field} ${JSON.stringify(wanted)} of ${wanted.length} units filters both`, (t) => {
      const found = world.find('powder', { filters: [{ field, values: [wanted] }] });
      t.deepEqual(found.toSorted(), ['cocoa', 'milk']);
    });

test('a facet has one value for both', (t) => {
  const refinement = { facets: [{ key: 'brand', limit: 9 }], filters: [], offset: 0 };
  const { refined } = world.search.search({ q: 'powder', nowMs: 0, listSize: 9, refinement });
  t.deepEqual(refined!.facets[0].values, [{ value: composed, count: 2 }]);
});

test('conditions of rules match both', (t) => {
  for (const operator of ['equals', 'contains', 'starts_with'] as const)
    for (const value of [composed, decomposed]) {
      const tested = { operator, negated: false, quantifier: 'any', groups: [[{ value }]] } as never;
      const matches = createMatcher(world.catalog.column('brand'), [tested]);
      t.true(matches(0) && matches(1), `${operator} ${value.length}`);
    }
});

test('texts are sorted as the language of the environment sorts them', (t) => {
  const titles = ['adidas shoe', 'Zebra shoe', 'Ähre shoe', 'Bata shoe', 'Ånge shoe'];
  const { find } = createWorld(titles.map((title) => ({ id: title, title })));
  const sorted = (language: string) =>
    find('shoe', {
      refinement: {
        facets: [],
        filters: [],
        offset: 0,
        orderBy: { key: 'title', descending: false, language },
      },
    });
  t.deepEqual(sorted('de'), ['adidas shoe', 'Ähre shoe', 'Ånge shoe', 'Bata shoe', 'Zebra shoe']);
  t.deepEqual(sorted('sv'), ['adidas shoe', 'Bata shoe', 'Zebra shoe', 'Ånge shoe', 'Ähre shoe']);
});
