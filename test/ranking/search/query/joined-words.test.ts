/** Words, numbers, units and codes that shops and people write differently: titles, and the best item of each query. */
import test from 'ava';
import { createWorld, merge } from '../support/world.ts';

const rows: [titles: string[], firsts: Record<string, string>][] = [
  [
    ['HDMI 2.1 cable 3 m', '#1 Dad mug', 'iPhone 15 Pro 256GB', 'PlayStation 5 console', 'USB 3.0 hub'],
    {
      iphone15: 'iPhone 15 Pro 256GB',
      iphone15pro: 'iPhone 15 Pro 256GB',
      'hdmi2.1': 'HDMI 2.1 cable 3 m',
      'usb3.0': 'USB 3.0 hub',
      playstation5: 'PlayStation 5 console',
      '1g': '',
    },
  ],
  [
    ['Apple AirPods Pro 2', 'Cable 2 m'],
    {
      airpods2: 'Apple AirPods Pro 2',
      airpod2: 'Apple AirPods Pro 2',
      airpods9: 'Apple AirPods Pro 2',
      cables7: 'Cable 2 m',
    },
  ],
  [
    ['iPhone 15 128GB', 'AT&T phone case'],
    { 'i phone': 'iPhone 15 128GB', 'i phone 15': 'iPhone 15 128GB', 'at&t': 'AT&T phone case' },
  ],
  [
    ["M&M's chocolate bag 200 g", 'H&M gift card', '3M Command strips', 'Volleyball net 9 m'],
    {
      'm&m': "M&M's chocolate bag 200 g",
      'm&ms': "M&M's chocolate bag 200 g",
      'M & M': "M&M's chocolate bag 200 g",
      'h&m': 'H&M gift card',
      'h & m': 'H&M gift card',
      '280mm': '',
    },
  ],
  [
    ['Dish soap 00012345678905', 'Hand soap 4006381333931', 'Novel 0-306-40615-2'],
    {
      '012345678905': 'Dish soap 00012345678905',
      '12345678905': 'Dish soap 00012345678905',
      '04006381333931': 'Hand soap 4006381333931',
      '0306406152': 'Novel 0-306-40615-2',
      '0-306-40615-2': 'Novel 0-306-40615-2',
    },
  ],
  [
    ['3-seat sofa grey', 'Chair'],
    { 'three seat': '3-seat sofa grey', 'three-seat sofa': '3-seat sofa grey' },
  ],
  [['Three seat sofa grey', 'Chair'], { '3 seat': 'Three seat sofa grey', '3-seat': 'Three seat sofa grey' }],
  [
    ['Cola 330 ml', 'Water 1.5 l', 'Rice 2500 g', 'Oil 1,500 ml', 'Cream 250ml'],
    {
      '33 cl': 'Cola 330 ml',
      '0,33 l': 'Cola 330 ml',
      '1500 ml water': 'Water 1.5 l',
      '1.5 l oil': 'Oil 1,500 ml',
      '2,5 kg': 'Rice 2500 g',
    },
  ],
  [['Gasket 16-07', 'iPhone 13 128GB'], { 'iphone 16': 'iPhone 13 128GB' }],
];

for (const [titles, firsts] of rows)
  for (const [query, title] of Object.entries(firsts))
    test(`"${query}" finds ${title || 'nothing'} first`, (t) => {
      const world = createWorld(titles.map((one) => ({ id: one, title: one })));
      t.is(world.find(query)[0] ?? '', title);
      merge(world);
      t.is(world.find(query)[0] ?? '', title);
    });
