import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { loadDeployment } from '../../../../src/deployment/load-deployment.ts';
import { defaultFields } from '../../../../src/formats/records/mapping/default-fields.ts';
import {
  checkColumns,
  parseMapping,
  type RecordKind,
} from '../../../../src/formats/records/mapping/mapping.ts';
import type { Row } from '../../../../src/formats/records/mapping/row.ts';

/** The value of one field for a row. */
function readField(expression: string, row: Row): unknown {
  const mapping = parseMapping(`items:\n  item_id: id\n  field: ${expression}\n`, 'mapping.yaml', 'items');
  return mapping.fields[1].read(row);
}

const expressions: [title: string, expression: string, row: Row, expected: unknown][] = [
  ['a column', 'a', { a: ' x ' }, 'x'],
  ['an empty column', 'a', { a: ' ' }, undefined],
  ['a constant', '{ value: 5 }', {}, 5],
  ['a template', '"{a} {b}"', { a: 'x', b: 'y' }, 'x y'],
  ['a template without its last column', '"{a}, {b}"', { a: 'x', b: '' }, 'x'],
  ['a template without its first column', '"{a}, {b}"', { a: '', b: 'y' }, 'y'],
  ['a template without any', '"no. {a}"', { a: '' }, undefined],
  ['a list', '[a, b]', { a: 'x', b: '' }, ['x']],
  ['a list of nothing', '[a, b]', { a: '', b: '' }, undefined],
  ['a path', '[[a, b]]', { a: 'x', b: 'y' }, [['x', 'y']]],
  ['a split', '{ column: a, split: "|" }', { a: 'x| y||z' }, ['x', 'y', 'z']],
  ['a split with a map', '{ column: a, split: "|", map: { none: "" } }', { a: 'x|none' }, ['x']],
  [
    'a split of nothing but what the map drops',
    '{ column: a, split: "|", map: { none: "" } }',
    { a: 'none' },
    undefined,
  ],
  ['a number', '{ column: a, as: number }', { a: '1.50' }, 1.5],
  ['a number with a comma', '{ column: a, as: decimal_comma }', { a: '-1.234,50' }, -1234.5],
  ['a whole number among those with commas', '{ column: a, as: decimal_comma }', { a: '1234' }, 1234],
  ['a boolean', '{ column: a, as: boolean }', { a: 'No' }, false],
  ['a day', '{ column: a, as: date }', { a: '2017-01-28' }, '2017-01-28T00:00:00.000Z'],
  [
    'a date with an offset',
    '{ column: a, as: date }',
    { a: '2017-01-28 19:06:53+01:00' },
    '2017-01-28T18:06:53.000Z',
  ],
  ...(
    [
      ['number', '1.299,00 €', 1299],
      ['number', '$1,299.00', 1299],
      ['number', '1 299,00', 1299],
      ['number', '1\u202f299,50\u00a0€', 1299.5],
      ['number', "CHF 1'299.50", 1299.5],
      ['number', '1,299.00 EUR', 1299],
      ['number', '-12,5', -12.5],
      ['number', '0,299', 0.299],
      ['number', '1.299.000', 1299000],
      ['number', '12,-', 12],
      ['number', 'kr. 1 299,-', 1299],
      ['decimal_comma', '1.299', 1299],
      ['decimal_point', '1,299', 1299],
      ['boolean', 'Ja', true],
      ['boolean', 'in stock', true],
      ['boolean', 'out_of_stock', false],
      ['boolean', 'https://schema.org/InStock', true],
      ['boolean', '17', true],
      ['boolean', '0.0000', false],
      ['boolean', '-2', false],
      ['date', '28.1.2017', '2017-01-28T00:00:00.000Z'],
      ['date', '28.01.2017 19:06', '2017-01-28T19:06:00.000Z'],
      ['date', '2017-01-28 19:06:53', '2017-01-28T19:06:53.000Z'],
      ['date', '20170128', '2017-01-28T00:00:00.000Z'],
      ['date', 'Sun, 01 Nov 2026 10:00:00 GMT', '2026-11-01T10:00:00.000Z'],
      ['date', '20261101100000', '2026-11-01T10:00:00.000Z'],
      ['date', '20261101T100000Z', '2026-11-01T10:00:00.000Z'],
      ['date', 'Sun, 06 Nov 94 08:49:37 GMT', '1994-11-06T08:49:37.000Z'],
      ['date', '01 Nov 2026', '2026-11-01T00:00:00.000Z'],
      ['date', '1 Nov 2026 10:00 EST', '2026-11-01T15:00:00.000Z'],
      ['date', '1793527200', '2026-11-01T10:00:00.000Z'],
      ['date', '1793527200123', '2026-11-01T10:00:00.123Z'],
      ['date', '1793527200123456', '2026-11-01T10:00:00.123Z'],
      ['day_month_year', '01/11/2026', '2026-11-01T00:00:00.000Z'],
      ['month_day_year', '11/1/2026 9:30', '2026-11-01T09:30:00.000Z'],
    ] as const
  ).map(([as, text, value]): [string, string, Row, unknown] => [
    `${JSON.stringify(text)} as ${as}`,
    `{ column: a, as: ${as} }`,
    { a: text },
    value,
  ]),
  ['a list of paths', '{ column: a, split: ",", path: ">" }', { a: 'A > B, C' }, [['A', 'B'], ['C']]],
  ['one path', '{ column: a, path: "/" }', { a: 'A/B' }, [['A', 'B']]],
  [
    'a split at separators without a backslash',
    '{ column: a, split: "," }',
    { a: 'x\\, y, z' },
    ['x, y', 'z'],
  ],
  ['a nested value', 'a.b.c', { a: { b: { c: 'x' } } }, 'x'],
  ['a name with dots', 'a.b', { 'a.b': 'x', a: { b: 'y' } }, 'x'],
  ['a value of the first element', 'a.b', { a: [{ b: 'x' }, { b: 'y' }] }, 'x'],
  ['values of all elements', 'a.*.b', { a: [{ b: 'x' }, {}, { b: 'y' }] }, ['x', 'y']],
  ['an element', 'a.1', { a: ['x', 'y'] }, 'y'],
  ['the value of a key', 'a.k.s', { a: [{ key: 'j' }, { key: 'k', value: { s: 'x' } }] }, 'x'],
  ['a value of JSON in a cell', 'a.b', { a: '{"b": "x"}' }, 'x'],
  ['Unix seconds', '{ column: a, as: unix_seconds }', { a: '964982703' }, '2000-07-30T18:45:03.000Z'],
  [
    'title case',
    '{ column: a, title_case: true }',
    { a: "ICE - CRUSHED/CUBED CHEF'S" },
    "Ice - Crushed/Cubed Chef's",
  ],
  ['an extract', String.raw`{ column: a, extract: '\((\d{4})\)', as: number }`, { a: 'Heat (1995)' }, 1995],
  [
    'an extract that finds nothing',
    String.raw`{ column: a, extract: '\((\d{4})\)' }`,
    { a: 'Heat' },
    undefined,
  ],
  ['a condition that holds', '{ value: 1, when: { column: a, at_least: 3.5 } }', { a: '3.5' }, 1],
  ['a condition that fails', '{ value: 1, when: { column: a, at_least: 3.5 } }', { a: '3' }, undefined],
  ['an alternative', '{ value: 1, when: { column: a, is: [x, y] }, else: { value: 2 } }', { a: 'z' }, 2],
  ['a map of numbers as they are written', '{ column: a, map: { 01: women } }', { a: '01' }, 'women'],
  ['an alternative to nothing', '{ column: a, else: b }', { a: '', b: 'y' }, 'y'],
  ['a JSON value', 'a', { a: ['x', 'y'] }, ['x', 'y']],
];

for (const [title, expression, row, expected] of expressions) {
  test(`a field can be ${title}`, (t) => {
    t.deepEqual(readField(expression, row), expected);
  });
}

for (const [as, cell] of [
  ['number', 'many'],
  ['decimal_comma', '12.90'],
  ['decimal_comma', '1,234,5'],
  ['decimal_comma', '12.34,5'],
  ['boolean', 'perhaps'],
  ['number', '12 34'],
  ['number', '12 kg'],
  ['number', '1,299'],
  ['number', '1.299 €'],
  ['number', '1.2.3'],
  ['number', '12345678901234567890'],
  ['number', '1e999'],
  ['decimal_point', '12,90'],
  ['boolean', ''.padEnd(3, '?')],
  ['date', '01/02/2026'],
  ['date', '31.02.2026'],
  ['date', '2017-02-29'],
  ['day_month_year', '11/20/2026'],
  ['unix_seconds', '1793527200123'],
  ['date', '2017-04-31T10:00:00Z'],
  ['unix_seconds', 'now'],
]) {
  test(`${JSON.stringify(cell)} as ${as} refuses the record`, (t) => {
    t.throws(() => readField(`{ column: a, as: ${as} }`, { a: cell }), { message: /^"/ });
  });
}

test('rows that satisfy a condition of skip_when are skipped', (t) => {
  const text = 'items: { item_id: id }\nskip_when: [{ column: a, empty: true }, { column: b, is: 0 }]\n';
  const { skip } = parseMapping(text, 'mapping.yaml', 'items');
  t.deepEqual(
    [skip({ a: '', b: '1' }), skip({ a: 'x', b: '0' }), skip({ a: 'x', b: '1' })],
    ['a is empty', 'b is 0', undefined],
  );
});

const tests: [condition: string, cell: unknown, holds: boolean][] = [
  ['is: 007', '007', true],
  ['is: 007', '7', false],
  ['is: [1.0, 2.0]', '1.0', true],
  ['is_not: 1.0', '1', true],
  ['is: True', 'True', true],
  ['is: "007"', '007', true],
  ["is: 'it''s'", "it's", true],
  ['is: 1.0', 1, true],
  ['is: true', true, true],
  ['is: null', '', true],
];

for (const [condition, cell, holds] of tests)
  test(`a cell ${JSON.stringify(cell)} ${holds ? 'meets' : 'fails'} ${condition}`, (t) => {
    const text = `items: { item_id: id }\nskip_when: { column: a, ${condition} }\n`;
    t.is(parseMapping(text, 'mapping.yaml', 'items').skip({ a: cell }) !== undefined, holds);
  });

test('a mapping may name the time zone of its times', (t) => {
  const text = 'time_zone: America/New_York\nitems: { item_id: { column: a, as: date } }';
  const { fields } = parseMapping(text, 'mapping.yaml', 'items', 'Europe/Berlin');
  t.is(fields[0].read({ a: '2026-12-01' }), '2026-12-01T05:00:00.000Z');
});

const faults: [title: string, text: string, expected: RegExp][] = [
  ['invalid YAML', 'items: [', /^m\.yaml:1: mapping: /],
  ['no fields', 'skip_when: { column: a, empty: true }', /^m\.yaml:1: items: Must be an object/],
  ['a missing item_id', 'items:\n  title: a', /^m\.yaml:2: items\.item_id: /],
  [
    'an unknown transform',
    'items:\n  item_id: id\n  title: { column: a, upper: true }',
    /^m\.yaml:3: items\.title: Unknown key "upper"/,
  ],
  [
    'two sources',
    'items:\n  item_id: { column: a, value: b }',
    /^m\.yaml:2: items\.item_id: Needs exactly one/,
  ],
  [
    'an unknown conversion',
    'items:\n  item_id: { column: a, as: float }',
    /^m\.yaml:2: items\.item_id\.as: /,
  ],
  ['an unknown time zone', 'time_zone: Mars\nitems: { item_id: a }', /^m\.yaml:1: time_zone: Must be/],
  ['a bare number', 'items:\n  item_id: 5', /^m\.yaml:2: items\.item_id: Must be a column/],
  ['a broken template', 'items:\n  item_id: "{a"', /^m\.yaml:2: items\.item_id: Must be text with columns/],
  [
    'a broken pattern',
    'items:\n  item_id: { column: a, extract: "(" }',
    /^m\.yaml:2: items\.item_id\.extract: /,
  ],
  [
    'a condition without a test',
    'items: { item_id: a }\nskip_when: { column: a }',
    /^m\.yaml:2: skip_when: Needs one of/,
  ],
  ['fields of the other kind', 'events: { event_type: a }', /Unknown key "events"\. Expected items, /],
];

for (const [title, text, expected] of faults) {
  test(`a mapping with ${title} is refused with line and field`, (t) => {
    t.throws(() => parseMapping(text, 'm.yaml', 'items'), { message: expected });
  });
}

test('a missing column is refused with line and field', (t) => {
  const mapping = parseMapping('items:\n  item_id: id\n  title: "{nme}"\n', 'm.yaml', 'items');
  t.throws(() => checkColumns(mapping, ['id', 'name']), {
    message: 'm.yaml:3: items.title: The file has no column "nme"; it has id, name.',
  });
});

test('without a mapping, columns are fields of the interface', (t) => {
  const row = { item_id: '1', tags: 'a|b', _enabled: 'false', title: '' };
  const fields = defaultFields(Object.keys(row), 'items');
  t.deepEqual(
    fields.map(({ read }) => read(row)),
    ['1', ['a', 'b'], false, undefined],
  );
});

test('without a mapping, columns of declared properties have their types', (t) => {
  const types = {
    price: 'number',
    in_stock: 'boolean',
    released: 'datetime',
    colors: 'string[]',
    brand: 'string',
  };
  const row = {
    price: '1.234,50 €',
    in_stock: 'ja',
    released: '01.11.2026',
    colors: 'a|b',
    brand: '5',
    other: '5',
  };
  const fields = defaultFields(Object.keys(row), 'items', { propertyTypes: new Map(Object.entries(types)) });
  t.deepEqual(
    fields.map(({ read }) => read(row)),
    [1_234.5, true, '2026-11-01T00:00:00.000Z', ['a', 'b'], '5', '5'],
  );
});

for (const cell of [
  '-',
  '–',
  '--',
  'N/A',
  'n/a',
  'null',
  'NULL',
  '#N/A',
  '#VALUE!',
  '\\N',
  'none',
  'NaN',
  'k. A.',
])
  test(`a cell ${cell} is no value of a number, date, truth value or list`, (t) => {
    const types = { price: 'number', in_stock: 'boolean', released: 'datetime', colors: 'string[]' };
    const row = { price: cell, in_stock: cell, released: cell };
    const fields = defaultFields(Object.keys(row), 'items', {
      propertyTypes: new Map(Object.entries(types)),
    });
    t.deepEqual(
      fields.map(({ read }) => read(row)),
      [undefined, undefined, undefined],
    );
    t.is(readField('{ column: a, as: decimal_comma }', { a: cell }), undefined);
    const isWord = /^[nk][oa. ]/i.test(cell);
    t.is(readField('a', { a: cell }), isWord ? cell : undefined);
    t.is(readField('"{a} {b}"', { a: cell, b: 'x' }), isWord ? `${cell} x` : 'x');
    t.is(readField(`{ column: a, map: { '${cell}': other } }`, { a: cell }), 'other');
  });

/** Cells and what they mean, by conversion. */
const meanings: [as: string, value: unknown, cells: string][] = [
  ['number', -12.5, '(12.50), 12.50-, -12.5, (€ 12.50)'],
  ['number', 1_299, '$1,299, £1,299, ₹1,299.00, 1 299,00 kr, 1’299.00, １２９９, US$1,299'],
  ['number', 129_999, '1,29,999, ₹1,29,999.00'],
  ['number', 12, '12%, 12 %, 12.-, € 12,-'],
  [
    'boolean',
    true,
    'op voorraad, en stock, disponible, på lager, PreOrder, on backorder, T, ✓, 10+, >10, Да, tak',
  ],
  ['boolean', false, 'niet op voorraad, rupture de stock, épuisé, agotado, esaurito, udsolgt, F, ✗, 0+, нет'],
  [
    'date',
    '2026-11-20T00:00:00.000Z',
    '20.11.26, 20/11/2026, 11/20/2026, 20-11-2026, 20. November 2026, 20 nov. 2026',
  ],
  ['date', '2026-11-20T22:05:00.000Z', '2026-11-20 10:05 PM, 11/20/2026 10:05 pm, Fri Nov 20 2026 22:05:00'],
  ['date', '2026-10-01T00:00:00.000Z', 'October 1st; 2026, 1 okt 2026, 01-Oct-26, 1. Okt. 2026'],
  ['date', undefined, '0000-00-00, 0000-00-00 00:00:00'],
];

for (const [as, value, cells] of meanings)
  for (const cell of cells.split(/, (?=[^, ])/).map((one) => one.replace(';', ',')))
    test(`${cell} as ${as} is ${value}`, (t) => {
      t.is(readField(`{ column: a, as: ${as} }`, { a: cell }), value);
    });

test('without a mapping, names of columns may have capitals and blanks, and paths a comma between them', (t) => {
  const row = { 'Item ID': '1', TITLE: 'a', Price: '5', Other: 'x', categories: 'A > B, C > D, E' };
  const fields = defaultFields(Object.keys(row), 'items', { propertyTypes: new Map([['price', 'number']]) });
  t.deepEqual(Object.fromEntries(fields.map(({ name, read }) => [name, read(row)])), {
    item_id: '1',
    title: 'a',
    price: 5,
    Other: 'x',
    categories: [
      ['A', 'B'],
      ['C', 'D, E'],
    ],
  });
});

const zoned: [as: string, cell: string, expected: string][] = [
  ['date', '2026-07-01 10:00', '2026-07-01T08:00:00.000Z'],
  ['date', '01.12.2026', '2026-11-30T23:00:00.000Z'],
  ['date', '20261201', '2026-11-30T23:00:00.000Z'],
  ['date', '2026-07-01T10:00:00Z', '2026-07-01T10:00:00.000Z'],
  ['date', '2026-07-01T10:00:00-05:00', '2026-07-01T15:00:00.000Z'],
  ['date', 'Wed, 01 Jul 2026 10:00:00 GMT', '2026-07-01T10:00:00.000Z'],
  ['day_month_year', '01/07/2026 10:00', '2026-07-01T08:00:00.000Z'],
  ['date', '1782892800', '2026-07-01T08:00:00.000Z'],
];

for (const [as, cell, expected] of zoned)
  test(`${cell} as ${as} is a time of the environment's zone, unless it has an offset`, (t) => {
    const text = `items: { item_id: { column: a, as: ${as} } }`;
    const { fields } = parseMapping(text, 'mapping.yaml', 'items', 'Europe/Berlin');
    t.is(fields[0].read({ a: cell }), expected);
  });

const examples = join(import.meta.dirname, '../../../../docs/examples');
const exampleFiles: [folder: string, kind: RecordKind, name: string][] = [
  ['complete-journey', 'items', 'products.yaml'],
  ['complete-journey', 'events', 'purchases.yaml'],
  ['movielens', 'items', 'films.yaml'],
  ['movielens', 'events', 'ratings.yaml'],
];

for (const [folder, kind, name] of exampleFiles) {
  test(`the example ${folder}/${name} and its deployment file are sound`, async (t) => {
    const mapping = parseMapping(await readFile(join(examples, folder, name), 'utf8'), name, kind);
    t.true(mapping.fields.length > 3);
    await t.notThrowsAsync(loadDeployment(join(examples, folder, 'deployment.yaml')));
    t.notThrows(async () => JSON.parse(await readFile(join(examples, folder, 'configuration.json'), 'utf8')));
  });
}
