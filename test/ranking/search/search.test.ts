import test from 'ava';
import type { Refinement } from '../../../src/ranking/search/search.ts';
import { createWorld, merge } from './support/world.ts';

/** Golden rankings: each expectation has its reason. */
const shop = [
  {
    id: 'office',
    title: 'HP Office Notebook 15',
    description: 'Light and fast',
    brand: 'HP',
    color: ['black'],
  },
  { id: 'case', title: 'Notebook case', description: 'For a notebook of 15 inch', color: ['black', 'red'] },
  { id: 'paper', title: 'Paper', description: 'Fits in any notebook or folder', color: ['white'] },
  { id: 'drive', title: 'External drive 500GB', description: 'Backup for your notebook', brand: 'WD' },
  { id: 'code', title: 'HP Pavilion dv7-1211ea', description: 'Media computer', brand: 'HP' },
  { id: 'sofa', title: 'Sofa with three seats', description: 'Soft', color: ['red'] },
  { id: 'note', title: 'Note book for school', description: 'Lined' },
];

const golden: [query: string, ids: string[], reason: string][] = [
  ['notebook case', ['case', 'note'], 'the exact title is first; then the item without a word'],
  ['HP notebook', ['office'], 'one title has all words'],
  ['dv7-1211ea', ['code'], 'a code is found whole'],
  ['dv7 1211ea', ['code'], 'a code is found by its parts'],
  ['dv71211ea', ['code'], 'a code is found without its hyphen'],
  ['500 gb', ['drive'], 'a measure is found however it is spaced'],
  ['notebooks', ['case'], 'plural meets singular; the short title weighs most'],
  ['sofas', ['sofa'], 'plural meets singular'],
];
for (const state of ['fresh', 'merged']) {
  for (const [query, ids, reason] of golden) {
    test(`${state}: ${query} finds ${ids[0]} first: ${reason}`, (t) => {
      const world = createWorld(shop);
      if (state === 'merged') merge(world);
      t.is(world.find(query)[0], ids[0]);
    });
  }
}

test('a word typed as one is found as two, and two words as one', (t) => {
  const { find } = createWorld(shop);
  t.true(find('notebook').includes('note'));
  t.true(find('note book').includes('office'));
});

test('items with all words precede items with some', (t) => {
  const { find } = createWorld([
    { id: 'some', title: 'red red red shoe', description: 'red' },
    { id: 'all', title: 'slipper', description: 'a red slipper to wear like a shoe' },
  ]);
  t.deepEqual(find('red shoe').slice(0, 1), ['some']);
  t.deepEqual(find('red slipper shoe'), ['all', 'some']);
});

test('a phrase in the title precedes the same words apart', (t) => {
  const { find } = createWorld([
    { id: 'apart', title: 'lamp black and yellow for desk' },
    { id: 'phrase', title: 'yellow and black desk lamp' },
  ]);
  t.deepEqual(find('desk lamp'), ['phrase', 'apart']);
});

test('the typed form of a word comes first, and a repeated word does not rank higher', (t) => {
  const { find } = createWorld([
    { id: 'one', title: 'Alien' },
    { id: 'many', title: 'Aliens two' },
    { id: 'stuffed', title: 'Aliens aliens aliens aliens' },
    { id: 'one two', title: 'Alien two' },
  ]);
  t.deepEqual(
    find('aliens movie').filter((id) => id !== 'one'),
    ['many', 'stuffed', 'one two'],
  );
  t.is(find('alien movie')[0], 'one');
});

test('stop words count only in queries without other words', (t) => {
  const { find } = createWorld([
    { id: 'who', title: 'The Who' },
    { id: 'lord', title: 'Lord of the rings' },
  ]);
  t.deepEqual(find('the who'), ['who', 'lord']);
  t.deepEqual(find('the ring'), ['lord']);
});

test('synonyms in a ring find each other', (t) => {
  const { find } = createWorld(shop, { synonyms: [{ words: ['sofa', 'couch'] }] });
  t.deepEqual(find('couches'), ['sofa']);
});

test('each word of the longest ring finds the results of all others', (t) => {
  const words = Array.from('abcdefghijklmnopqrst', (letter) => `sofa${letter}`);
  const { find } = createWorld(
    words.map((word) => ({ id: word, title: `Wide ${word}` })),
    { synonyms: [{ words }] },
  );
  for (const word of words) t.deepEqual(find(word).toSorted(), words, word);
});

test('a one-way synonym does not work backwards', (t) => {
  const items = [
    { id: 'tv', title: 'tv' },
    { id: 'television', title: 'television' },
  ];
  const { find } = createWorld(items, { synonyms: [{ from: ['tv'], to: ['television'] }] });
  t.deepEqual(find('tv'), ['tv', 'television']);
  t.deepEqual(find('television', { autocorrect: false }), ['television']);
});

test('a synonym may be a phrase on either side', (t) => {
  const items = [
    { id: 'smart', title: 'smartphone' },
    { id: 'cell', title: 'cell phone' },
  ];
  const { find } = createWorld(items, { synonyms: [{ words: ['smartphone', 'cell phone'] }] });
  t.deepEqual(find('smartphone').sort(), ['cell', 'smart']);
  t.deepEqual(find('cell phone').sort(), ['cell', 'smart']);
});

test('a synonym with a hyphen or a measure is one word, in any spelling of the catalogue', (t) => {
  const synonyms = [{ words: ['t-shirt', 'tee'] }, { from: ['17 inch'], to: ['large'] }];
  const { find, put } = createWorld(
    [
      { id: 'tee', title: 'Tee of cotton' },
      { id: 'large', title: 'Large screen' },
    ],
    { synonyms },
  );
  for (const typed of ['t-shirt', 't shirt', 'tshirt']) t.deepEqual(find(typed), ['tee'], typed);
  t.deepEqual(find('17 inch', { autocorrect: false }), ['large']);
  put({ id: 'apart', title: 'Plain T shirt' });
  t.deepEqual(find('tee').sort(), ['apart', 'tee']);
  put({ id: 'whole', title: 'Plain T-shirt' });
  for (const typed of ['t-shirt', 'tee'])
    t.true(find(typed).includes('whole') && find(typed).includes('tee'), typed);
});

test('taste reorders within a tier, and never across tiers', (t) => {
  const world = createWorld([
    { id: 'a', title: 'green tea' },
    { id: 'b', title: 'black tea' },
    { id: 'other', title: 'pot', description: 'for tea' },
  ]);
  const likes = (id: string) => (itemIndex: number) => Number(world.catalog.itemIdAt(itemIndex) === id);
  t.deepEqual(world.find('tea', { taste: likes('b') }), ['b', 'a', 'other']);
  t.deepEqual(world.find('tea', { taste: likes('a') }), ['a', 'b', 'other']);
  t.is(world.find('tea', { taste: likes('other') })[2], 'other');
});

test('an empty query gives the best items by prior and taste', (t) => {
  const world = createWorld(shop);
  const prior = (itemIndex: number) => Number(world.catalog.itemIdAt(itemIndex) === 'paper');
  t.is(world.find('', { prior })[0], 'paper');
  t.is(world.find('  ').length, shop.length);
});

test('a misspelt word is corrected to one of the catalogue, and reported', (t) => {
  const { search, catalog } = createWorld(shop);
  const result = search.search({ q: 'notebok case', nowMs: 0, listSize: 10 });
  t.is(result.correctedQuery, 'notebook case');
  t.is(catalog.itemIdAt(result.lists[0].items[0].itemIndex), 'case');
});

const uncorrected: [string, Record<string, unknown>][] = [
  ['notebok', { autocorrect: false }],
  ['dv7-1211eb', {}],
  ['500tb', {}],
];
for (const [q, request] of uncorrected) {
  test(`${q} is not corrected with ${JSON.stringify(request)}`, (t) => {
    const { search } = createWorld(shop);
    t.is(search.search({ q, nowMs: 0, listSize: 10, ...request }).correctedQuery, undefined);
  });
}

test('a word is corrected to a stop word only beside a content word, and is then not searched', (t) => {
  const { search } = createWorld([
    { id: '1', title: 'lamp for the desk' },
    { id: '2', title: 'cover for the desk' },
  ]);
  const { lists, correctedQuery } = search.search({ q: 'teh lamp', nowMs: 0, listSize: 10 });
  t.is(correctedQuery, 'the lamp');
  t.is(lists[0].items.length, 1);
  t.is(search.search({ q: 'teh', nowMs: 0, listSize: 10 }).correctedQuery, undefined);
  t.is(search.search({ q: 'cavor', nowMs: 0, listSize: 10 }).correctedQuery, 'cover');
});

test('a query with results is not corrected, even if a neighbour is more common', (t) => {
  const { search } = createWorld([
    { id: '1', title: 'pane' },
    { id: '2', title: 'panel' },
    { id: '3', title: 'panel' },
  ]);
  t.is(search.search({ q: 'pane', nowMs: 0, listSize: 10 }).correctedQuery, undefined);
});

test('words unknown to the catalogue are dropped and reported', (t) => {
  const { search } = createWorld(shop);
  const result = search.search({ q: 'sofa zzzqqq', nowMs: 0, listSize: 10 });
  t.deepEqual(result.droppedWords, ['zzzqqq']);
  t.is(result.lists[0].items.length, 1);
});

test('the perfect match is the item with that id or title', (t) => {
  const { search, catalog } = createWorld(shop);
  const perfect = (q: string) => {
    const { perfectMatch } = search.search({ q, nowMs: 0, listSize: 10 });
    return perfectMatch === undefined ? undefined : catalog.itemIdAt(perfectMatch);
  };
  t.is(perfect('drive'), 'drive');
  t.is(perfect('NOTEBOOK  case!'), 'case');
  t.is(perfect('notebook'), undefined);
});

test('the perfect match is the best picked one in every order and on every page', (t) => {
  const { catalog, search } = createWorld([
    { id: 'cheap', title: 'Sofa of oak', price: 1, brand: 'X' },
    { id: 'first', title: 'Sofa', price: 9, brand: 'X' },
    { id: 'other', title: 'SOFA', price: 5, brand: 'Y' },
  ]);
  const perfect = (refinement: Partial<Refinement>, q = 'sofa') => {
    const whole = { facets: [], filters: [], offset: 0, ...refinement };
    const { perfectMatch } = search.search({ q, nowMs: 0, listSize: 10, refinement: whole });
    return perfectMatch === undefined ? undefined : catalog.itemIdAt(perfectMatch);
  };
  const orderBy = { key: 'price', descending: false };
  const filters = [{ key: 'brand', values: ['Y'], ranges: [] }];
  for (const offset of [0, 1, 50])
    for (const order of [{}, { orderBy }]) {
      t.is(perfect({ offset, ...order }), 'first');
      t.is(perfect({ offset, ...order, filters }), 'other');
      t.is(perfect({ offset, ...order, filters }, 'other'), 'other');
      t.is(perfect({ offset, ...order, filters }, 'cheap'), undefined);
    }
});

test('lists follow their best item, and an item is in the list of each of its values', (t) => {
  const { search, catalog } = createWorld(shop);
  const { lists } = search.search({ q: 'notebook case', nowMs: 0, listSize: 10, groupBy: ['color'] });
  const shown = lists.map(({ name, items }) => [name, catalog.itemIdAt(items[0].itemIndex)]);
  t.deepEqual(shown.slice(0, 2), [
    ['color: black', 'case'],
    ['color: red', 'case'],
  ]);
  t.true(lists.some(({ name, values }) => name === 'other' && values.length === 0));
});

test('the parts of every explanation add up to the score of the hit', (t) => {
  const world = createWorld(shop, { synonyms: [{ words: ['sofa', 'couch'] }] });
  const queries = [
    'notebook case',
    'hp notbook',
    'couch red',
    'note book',
    'light fast office hp notebook 15',
  ];
  for (const q of queries) {
    const request = {
      q,
      nowMs: 0,
      listSize: 10,
      prior: () => 0.5,
      taste: (i: number) => i / 10,
      clicksOf: () => (i: number) => (i % 3) - 1,
    };
    const { contributionsOf } = world.search.explainQuery(request);
    for (const hit of world.search.search(request).lists[0].items) {
      const { itemIndex, text, feedback, prior, taste, clicks, score } = hit;
      const contributions = contributionsOf(itemIndex);
      const sum = contributions.reduce((all, one) => all + one.score, 0);
      const close = (a: number, b: number) => t.true(Math.abs(a - b) < 1e-6, `${q}: ${a} ${b}`);
      close(text + feedback + prior + taste + clicks, score);
      close(sum, text);
      for (const one of contributions)
        close(
          one.fields.reduce((all, field) => all + field.score, 0),
          one.score,
        );
    }
  }
});

test('an explanation names corrections, synonyms and dropped words', (t) => {
  const { search, catalog } = createWorld(shop, { synonyms: [{ words: ['sofa', 'couch'] }] });
  const q = 'couch seets zzzqqq';
  const { corrections, dropped, contributionsOf } = search.explainQuery({ q });
  t.deepEqual(corrections, [{ from: 'seets', to: 'seats' }]);
  t.deepEqual(dropped, ['zzzqqq']);
  t.deepEqual(
    contributionsOf(catalog.indexOfId('sofa')!).map(({ alternative }) => alternative.kind),
    ['synonym', 'word'],
  );
  t.deepEqual(contributionsOf(catalog.indexOfId('paper')!), []);
});

test('clicks of the used query rank items with equal texts only', (t) => {
  const { search, catalog, find } = createWorld([
    { id: 'a', title: 'blue lamp' },
    { id: 'b', title: 'blue lamp' },
    { id: 'c', description: 'a lamp, blue' },
  ]);
  const asked: string[] = [];
  const clicksOf = (query: string) => {
    asked.push(query);
    return (itemIndex: number) => (catalog.itemIdAt(itemIndex) === 'a' ? -1 : 1);
  };
  t.deepEqual(find('blue lamp'), ['a', 'b', 'c']);
  t.deepEqual(find('blue lanp', { clicksOf }), ['b', 'a', 'c']);
  t.deepEqual(asked, ['blue lamp']);
  const { query, corrections, words } = search.explainQuery({ q: 'blue lanp' });
  t.deepEqual([query, corrections], ['blue lamp', [{ from: 'lanp', to: 'lamp' }]]);
  t.deepEqual(words[1].alternatives, [{ kind: 'word', text: 'lamp', weight: 1 }]);
});

test('a title of punctuation only is found', (t) => {
  const { find } = createWorld([
    { id: 'heart', title: '❤️ ❤️' },
    { id: 'lamp', title: 'Lamp ❤️' },
  ]);
  t.deepEqual(find('❤️❤️'), ['heart']);
});

test('of two likely corrections the one with successful searches wins', (t) => {
  const items = [
    { id: 'a', title: 'late show' },
    { id: 'b', title: 'lake show' },
    { id: 'c', title: 'lake view' },
  ];
  let usage = new Map<string, number>();
  const { search } = createWorld(items, { usage: () => usage });
  const corrected = () => search.search({ q: 'lage', nowMs: 0, listSize: 5 }).correctedQuery;
  const other = corrected() === 'lake' ? 'late' : 'lake';
  usage = new Map([[other, 1_000]]);
  t.is(corrected(), other);
});

test('an item of another language is found by its own inflections', (t) => {
  const { find } = createWorld([
    { id: 'nl', title: 'Houten stoelen', language: 'nl' },
    { id: 'en', title: 'Wooden chairs', language: 'en' },
  ]);
  t.deepEqual(find('stoel'), ['nl']);
  t.deepEqual(find('chair'), ['en']);
});

test('text without spaces is found by its words', (t) => {
  const { find } = createWorld([{ id: 'ja', title: '東京でノートパソコンを買う', language: 'ja' }]);
  t.deepEqual(find('パソコン'), ['ja']);
  t.deepEqual(find('東京'), ['ja']);
});

const strange: [string, string][] = [
  ['10,000 characters', 'notebook case '.repeat(715)],
  ['10,000 letters', 'x'.repeat(10_000)],
  ['emoji only', '📱🎉👩‍👩‍👧‍👦'],
  ['control characters', '\u0000\u0007\u001b[31m\u2028'],
  ['lone surrogates', '\ud800\udfff'],
  ['regular expression letters', '(.*)[+?^$]{}|\\'],
];
for (const [name, q] of strange) {
  test(`a query of ${name} is answered`, (t) => {
    const world = createWorld(shop);
    merge(world);
    t.true(Array.isArray(world.search.search({ q, nowMs: 0, listSize: 10 }).lists));
    t.true(Array.isArray(world.complete(q, { fuzziness: 2 })));
  });
}

for (const listSize of [-1, 0, Number.NaN, 1e9, Number.POSITIVE_INFINITY]) {
  test(`a list size of ${listSize} gives between none and all items`, (t) => {
    const { find } = createWorld(shop);
    t.true(find('notebook', { listSize }).length <= shop.length);
  });
}

test('an unknown filter field matches no item', (t) => {
  const { find } = createWorld(shop);
  t.deepEqual(find('notebook', { filters: [{ field: 'weight', values: ['1'] }] }), []);
});
