import test from 'ava';
import { type CompletionRow, tellCompletions } from '../support/completion-table.ts';
import { createWorld, merge } from '../support/world.ts';

const items = [
  { id: 'drill', title: 'Cordless drill 18V', brand: 'Bosch' },
  { id: 'saw', title: 'Saw', description: 'cuts boards', brand: 'Bosch' },
  { id: 'board', title: 'Drilled board' },
  { id: 'dress', title: 'Dress, red' },
];

const completions: CompletionRow[] = [
  ['dr', ['board', 'dress', 'drill'], 'titles that begin with it are first'],
  ['cordless d', ['drill'], 'the last word is a prefix'],
  ['drill c', ['drill'], 'words match in any order'],
  ['bosch d', ['drill'], 'a property counts'],
  ['cuts', [], 'a description does not'],
  ['drills', [], 'a whole word that no item has'],
  ['', [], 'nothing typed'],
];
tellCompletions(items, completions);

for (const state of ['fresh', 'merged']) {
  for (const [typed, title] of [
    ['spider-ma', 'Spider-Man'],
    ['3m', '3M filter'],
    ['3 m f', '3M filter'],
    ['wh-1000xm4 b', 'WH-1000XM4 black'],
    ['6x33cl', '6x33cl cola'],
    ['2.40 ghz', '2.40 GHz router'],
    ['2.4g', '2.40 GHz router'],
  ]) {
    test(`${state}: "${typed}" gives ${title} first: its title begins with the compound`, (t) => {
      const world = createWorld(
        [
          { id: 'other', title: `Another filter by black ${title}` },
          { id: 'begins', title },
        ],
        { popularity: (itemIndex) => 0.9 - itemIndex / 2 },
      );
      if (state === 'merged') merge(world);
      t.deepEqual(world.complete(typed), ['begins', 'other']);
    });
  }
}

const fuzzy: [typed: string, fuzziness: number, ids: string[]][] = [
  ['dril', 0, ['board', 'drill']],
  ['drlil', 0, []],
  ['drlil', 1, ['board', 'drill']],
  ['bosh dri', 0, []],
  ['bosh dri', 1, ['drill']],
  ['krdless', 1, []],
  ['krdless', 2, ['drill']],
];
for (const [typed, fuzziness, ids] of fuzzy) {
  test(`"${typed}" with ${fuzziness} edits gives ${ids.join(', ') || 'nothing'}`, (t) => {
    const world = createWorld(items);
    merge(world);
    t.deepEqual(world.complete(typed, { fuzziness }).sort(), ids);
  });
}

test('unknown words of a query are corrected, and known ones only if all are known', (t) => {
  const world = createWorld([
    { id: 'red', title: 'Red dress of cotton' },
    { id: 'led', title: 'Led lamp' },
    { id: 'leder', title: 'Led dresser lamp' },
  ]);
  merge(world);
  t.deepEqual(world.complete('led dresx', { fuzziness: 1 }), ['leder']);
  t.deepEqual(world.complete('led cotton', { fuzziness: 1 }), ['red']);
});

test('popular items come first, after those that the visitor likes', (t) => {
  const popularity = (itemIndex: number) => (itemIndex === 2 ? 0.9 : 0.1);
  const world = createWorld(
    ['a', 'b', 'c', 'd'].map((id) => ({ id, title: `pen ${id}` })),
    { popularity },
  );
  merge(world);
  t.deepEqual(world.complete('pen', { limit: 1 }), ['c']);
  const taste = (itemIndex: number) => (itemIndex === 3 ? 1 : 0);
  const [first] = world.search.complete({ q: 'pen', nowMs: 0, limit: 1, taste });
  t.is(first.itemIndex, 3);
  t.is(first.score, first.start + first.popularity + first.taste);
});

test('items that are not merged yet are sorted too, for any number of completions', (t) => {
  const covers = Array.from({ length: 60 }, (_, i) => ({ id: `cover ${i}`, title: `Cover ${i} for a sofa` }));
  const popularity = (itemIndex: number) => itemIndex / 100;
  const world = createWorld([...covers, { id: 'sofa', title: 'Sofa' }], { popularity });
  const best = ['sofa', 'cover 59', 'cover 58'];
  t.deepEqual(world.complete('sof', { limit: 3 }), best);
  t.deepEqual(world.complete('a sof', { limit: 3 }), ['cover 59', 'cover 58', 'cover 57']);
  merge(world);
  t.deepEqual(world.complete('sof', { limit: 3 }), best);
});

test('among items that are not merged yet, the visitor’s taste is computed only for the best', (t) => {
  const items = Array.from({ length: 60 }, (_, i) => ({ id: `sofa ${i}`, title: `Sofa ${i}` }));
  const { catalog, search } = createWorld(items, { popularity: (itemIndex) => itemIndex / 100 });
  const asked: string[] = [];
  const taste = (itemIndex: number) => {
    asked.push(catalog.itemIdAt(itemIndex));
    return Number(itemIndex === 50);
  };
  const hits = search.complete({ q: 'so', nowMs: 0, limit: 3, taste });
  t.deepEqual(
    hits.map(({ itemIndex }) => itemIndex),
    [50, 59, 58],
  );
  t.deepEqual(
    asked.toSorted(),
    items.slice(-12).map(({ id }) => id),
  );
});

test('all words of a long title narrow its completions, and the last one is a prefix', (t) => {
  for (const isMerged of [false, true]) {
    const world = createWorld([
      { id: 'oak', title: 'Round table for six in the garden or the house of oak' },
      { id: 'ash', title: 'Round table for six in the garden or the house of ash' },
    ]);
    if (isMerged) merge(world);
    t.deepEqual(world.complete('round table for six in the garden or the house of oa'), ['oak']);
    t.deepEqual(world.complete('round table for six in the garden or the hou of'), []);
  }
});

test('a misspelt word is unknown again after its item is replaced', (t) => {
  for (const isMerged of [false, true]) {
    const world = createWorld([{ id: 'bicycle', title: 'Bicycle' }]);
    world.put({ id: 'lamp', title: 'Bycicle lamp' });
    if (isMerged) merge(world);
    t.deepEqual(world.complete('bycicl', { fuzziness: 2 }), ['lamp']);
    world.put({ id: 'lamp', title: 'Lamp' });
    for (const typed of ['bycicl', 'bycicle'])
      t.deepEqual(world.complete(typed, { fuzziness: 2 }), ['bicycle'], typed);
  }
});

for (const state of ['fresh', 'merged']) {
  test(`${state}: the requested number of groups is completed, for any number of variants`, (t) => {
    const variants = Array.from({ length: 600 }, (_, i) => ({
      id: `v${i}`,
      title: `Shirt ${i}`,
      group_id: `shirt ${Math.floor(i / 30)}`,
    }));
    const world = createWorld(variants);
    if (state === 'merged') merge(world);
    const groups = world.complete('shirt', { limit: 15 }).map((id) => Math.floor(Number(id.slice(1)) / 30));
    t.is(new Set(groups).size, 15);
  });
}

test('many variants of a group bring no other spellings, which only stand in for missing items', (t) => {
  for (const count of [3, 30]) {
    const variants = Array.from({ length: count }, (_, i) => ({
      ...{ id: `table ${i}`, title: `Table ${i}`, group_id: 'table' },
    }));
    const world = createWorld([...variants, { id: 'spaced', title: 't able' }]);
    t.deepEqual(world.complete('table'), ['table 0'], `${count} variants`);
  }
});
