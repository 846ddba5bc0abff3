/** Sizes and packs, written with or without spaces around the `x` and before the unit. */
import test from 'ava';
import { tokensOf } from '../../../../src/ranking/search/analysis/analyser.ts';
import { joinSizes } from '../../../../src/ranking/search/analysis/sizes.ts';
import { createWorld, merge } from '../support/world.ts';

const joined: [text: string, words: string[]][] = [
  ['screen 1440 x 900 black', ['screen', '1440x900', 'black']],
  ['10 x 15 x 2.5 cm', ['10x15x2.5cm']],
  ['10x15 cm paper', ['10x15cm', 'paper']],
  ['10cm x 15cm', ['10x15cm']],
  ['24" x 36"', ['24x36in']],
  ['8 X10 in. frame', ['8x10in', 'frame']],
  ['6 x 33 cl, 6 x 50 cl', ['6x33cl', '6x50cl']],
  ['3.5 mm x 2 m', ['3.5mm', 'x', '2m']],
  ['500GB x64', ['500gb', 'x64']],
  ['2 x hdmi, x 4', ['2', 'x', 'hdmi', 'x', '4']],
  ['5 x x 5', ['5', 'x', 'x', '5']],
  ['4 m', ['4m']],
];
for (const [text, words] of joined) {
  test(`${text} has the words ${words.join('|')}`, (t) => {
    t.deepEqual(
      joinSizes(tokensOf(text)).map((token) => token.text),
      words,
    );
  });
}

const typed: [queries: string[], titles: string[], other: string][] = [
  [
    ['1440x900', '1440 x 900', '1440×900', '1440 X900', 'screen 1440 × 900'],
    ['Screen 1440 x 900 pixels', 'Screen 1440x900', 'Screen, 1440×900'],
    'Screen x 1440 lamp, 900 pixels',
  ],
  [
    ['10x15cm', '10 x 15 cm', '10x15 cm', '10 cm x 15 cm', '10 x 15', '10x15'],
    ['Photo paper 10x15cm', 'Photo paper (10 x 15 cm)', 'Photo paper 10x15 cm, glossy'],
    'Photo paper 10 sheets x 15 packs, 20 cm',
  ],
  [
    ['58.4x42.3 mm', '58.4 x 42.3 mm', 'labels 58.4x42.3mm'],
    ['Labels 58.4x42.3 mm', 'Labels 58.4 x 42.3mm'],
    'Labels 42.3 x 58.4 mm',
  ],
  [['6x33cl', '6 x 33 cl', '6 x 33cl cola'], ['Cola 6x33cl', 'Cola 6 x 33 cl'], 'Cola 33 x 6 cl'],
];
const states: Record<string, (world: ReturnType<typeof createWorld>) => void> = {
  fresh: () => {},
  merged: merge,
};
for (const [queries, titles, other] of typed) {
  const items = [other, ...titles].map((title, i) => ({ id: `item-${i}`, title }));
  const meant = items.slice(1).map(({ id }) => id);
  for (const [state, settle] of Object.entries(states)) {
    for (const query of queries) {
      test(`${state}: ${query} finds ${titles.join(', ')} before ${other}`, (t) => {
        const world = createWorld(items);
        settle(world);
        t.deepEqual(world.find(query).slice(0, meant.length).sort(), meant);
      });
      test(`${state}: ${query} is completed by ${titles.join(', ')}`, (t) => {
        const world = createWorld(items);
        settle(world);
        const found = world.complete(query);
        t.deepEqual(
          meant.filter((id) => !found.includes(id)),
          [],
        );
      });
    }
  }
}

test('a size is completed from its first digits on, in any spelling', (t) => {
  const world = createWorld([
    { id: 'spaced', title: 'Screen 1440 x 900' },
    { id: 'solid', title: 'Screen 1440x900' },
  ]);
  merge(world);
  for (const query of ['14', '1440', '1440x', '1440 x 9', '1440x90', 'screen 1440 x 900'])
    t.deepEqual(world.complete(query).sort(), ['solid', 'spaced'], query);
});

test('one side of a size with spaces is found', (t) => {
  const world = createWorld([
    { id: 'paper', title: 'Paper 10 x 15 cm' },
    { id: 'water', title: 'Water 6 x 500 ml' },
    { id: 'other', title: 'Paper and water' },
  ]);
  merge(world);
  t.deepEqual(world.find('paper 15 cm')[0], 'paper');
  t.deepEqual(world.find('500ml'), ['water']);
});

test('a size without matches is searched by its sides', (t) => {
  const world = createWorld([
    { id: 'both', title: 'Shelf 80 cm, 4 boards x 25' },
    { id: 'none', title: 'Shelf' },
  ]);
  merge(world);
  t.deepEqual(world.find('25 x 80 cm'), ['both']);
});

test('a synonym for a size serves all of its spellings', (t) => {
  const items = [
    { id: 'card', title: 'Postcard' },
    { id: 'size', title: 'Photo 10x15' },
  ];
  for (const from of ['10 x 15', '10x15']) {
    const world = createWorld(items, { synonyms: [{ from: [from], to: ['postcard'] }] });
    merge(world);
    for (const query of ['10x15', '10 x 15']) t.true(world.find(query).includes('card'), `${from}: ${query}`);
  }
});
