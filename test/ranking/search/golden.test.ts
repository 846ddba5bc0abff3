/** Rankings of a small shop, hit by hit, with the reason for each rank. */
import test from 'ava';
import { createWorld, merge } from './support/world.ts';

const shop = [
  {
    id: 'lamp',
    title: 'Desk lamp',
    description: 'A lamp of brass for the desk.',
    brand: 'Aka',
    color: ['gold'],
  },
  { id: 'led-lamp', title: 'LED desk lamp with clamp', brand: 'Bel', color: ['black'] },
  {
    id: 'floor-lamp',
    title: 'Floor lamp',
    description: 'Stands beside the desk.',
    brand: 'Aka',
    color: ['black'],
  },
  { id: 'bulb', title: 'Light bulb E27', description: 'For every lamp, on the desk or not.', brand: 'Cor' },
  { id: 'desk', title: 'Standing desk 160 cm', description: 'Oak.', brand: 'Dex', color: ['oak'] },
  { id: 'mat', title: 'Desk mat', brand: 'Dex', color: ['black', 'grey'] },
  { id: 'laptop', title: 'Laptop dv7-1211ea 17" 500 GB', description: 'A notebook for work.', brand: 'Hap' },
  { id: 'sleeve', title: 'Sleeve for laptop 15"', brand: 'Bel', color: ['grey'] },
  { id: 'drive', title: 'Drive 500GB', brand: 'Hap' },
  { id: 'pad', title: 'Note book A5', brand: 'Cor' },
  { id: 'radio', title: 'Travel radio', specs: ['external antenna', 'tape drive: no', 'lamp'] },
];

type Expected = [id: string, reason: string][];

const rankings: [query: string, expected: Expected][] = [
  [
    'desk lamp',
    [
      ['lamp', 'the title is the query'],
      ['led-lamp', 'the title has the words side by side'],
      ['floor-lamp', 'the description has the word that the title lacks'],
      ['bulb', 'the description has both words, far apart'],
    ],
  ],
  [
    'lamps for desks',
    [
      [
        'lamp',
        'inflections and stop words do not matter, and a short title has both words, in another order',
      ],
      ['led-lamp', 'the longer title has both words too'],
      ['floor-lamp', 'the description has one of them'],
    ],
  ],
  ['dv7-1211ea', [['laptop', 'a code is found as a whole']]],
  [
    '500gb',
    [
      ['drive', 'the shorter title says it of less'],
      ['laptop', 'a number and its unit are one word, however they are written'],
    ],
  ],
  [
    'notebook',
    [
      ['pad', 'the title has it as two words'],
      ['laptop', 'the description has it as one'],
    ],
  ],
  [
    'external drive',
    [
      ['drive', 'the title has one of the words'],
      ['radio', 'a list of specifications, which hardly describes an item, has all words'],
    ],
  ],
  ['travel antenna', [['radio', 'the title has one word, so that the specifications may bring the other']]],
  ['grey mat', [['mat', 'a word of the title and one of a property']]],
  ['lanp', [['lamp', 'it is corrected to lamp, which title and description have']]],
];

for (const [query, expected] of rankings) {
  const world = createWorld(shop);
  merge(world);
  test(`${query}: ${expected.map(([id, reason]) => `${id}, as ${reason}`).join('; then ')}`, (t) => {
    t.deepEqual(
      world.find(query).slice(0, expected.length),
      expected.map(([id]) => id),
    );
  });
}
