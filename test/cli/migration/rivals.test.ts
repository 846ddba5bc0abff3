/** Objects in the shapes that the rivals' exports and client libraries document. */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { type Fields, readFilter } from '../../../src/cli/migration/filters.ts';
import { type Rival, rivals } from '../../../src/cli/migration/rivals.ts';
import { toConfiguration } from '../../../src/cli/migration/search-rules.ts';
import { type Format, formatOf } from '../../../src/formats/records/formats.ts';
import { parseMapping, type RecordKind } from '../../../src/formats/records/mapping/mapping.ts';
import { readyMapping } from '../../../src/formats/records/mapping/ready-mappings.ts';
import { openRows, toOutcomes } from '../../../src/formats/records/open-records.ts';
import { collectAll } from '../support/collect.ts';

const samples = join(import.meta.dirname, '../../formats/records/samples');
const types = new Map([
  ['price', 'number'],
  ['in_stock', 'boolean'],
  ['brand', 'string'],
]);
const fields: Fields = {
  keyOf: (name) => (/^hierarchicalCategories/.test(name) ? 'categories' : name === '_tags' ? 'tags' : name),
  typeOf: (name) => types.get(name),
};
const place = { prefix: 'shop-x-', environment: 'shop', nowMs: 1_800_000_000_000 };

const filters: [filter: unknown, queries: unknown][] = [
  ['brand:Apple', [{ key: 'brand', match: 'Apple' }]],
  [
    'brand:"Apple AND Co" AND price > 10',
    [
      { key: 'brand', match: 'Apple AND Co' },
      { key: 'price', gt: 10 },
    ],
  ],
  [
    '(brand:A OR brand:B) AND NOT color:red',
    [
      { key: 'brand', match: ['A', 'B'] },
      { key: 'color', match: { not: 'red' } },
    ],
  ],
  ['price:10 TO 20', [{ key: 'price', range: { min: 10, max: 20 } }]],
  ['in_stock:true', [{ key: 'in_stock', match: true }]],
  ['gift', [{ key: 'tags', match: 'gift' }]],
  [
    ['brand:Apple Inc', ['color:red', 'color:blue']],
    [
      { key: 'brand', match: 'Apple Inc' },
      { key: 'color', match: ['red', 'blue'] },
    ],
  ],
  [['brand:-Apple'], [{ key: 'brand', match: { not: 'Apple' } }]],
  ['hierarchicalCategories.lvl1:"Home > Kitchen"', [{ key: 'categories', match: 'Home/Kitchen' }]],
  [
    'brand:=`A && B` && price:<=9',
    [
      { key: 'brand', match: 'A && B' },
      { key: 'price', lte: 9 },
    ],
  ],
  [
    'brand:=[A,B] && price:[1..5]',
    [
      { key: 'brand', match: ['A', 'B'] },
      { key: 'price', range: { min: 1, max: 5 } },
    ],
  ],
  ['brand:!=[A,B]', [{ key: 'brand', match: { not: { or: ['A', 'B'] } } }]],
  ['brand:A OR price > 3', undefined],
  ['price > cheap', undefined],
  ['brand:{facet:brand}', undefined],
  [7, undefined],
  ['', undefined],
];

for (const [filter, queries] of filters)
  test(`the filter ${JSON.stringify(filter)} is read as queries, or not at all`, (t) => {
    t.deepEqual(readFilter(filter, fields) as unknown, queries);
  });

const full = {
  objectID: 'sofas',
  conditions: [
    { pattern: 'sofa', anchoring: 'contains' },
    { pattern: 'red couch', anchoring: 'is', alternatives: true },
    { pattern: 'garden', anchoring: 'startsWith' },
  ],
  consequence: {
    promote: [
      { objectIDs: ['a', 'b'], position: 0 },
      { objectID: 'c', position: 1 },
    ],
    hide: [{ objectID: 'old' }],
    params: {
      filters: 'in_stock:true',
      optionalFilters: ['brand:Acme<score=3>', 'brand:-Cheap'],
      renderingContent: { redirect: { url: '/sofas' }, widgets: { banners: [{ link: { url: '/sale' } }] } },
    },
    userData: { banner: 'summer' },
  },
  validity: [{ from: 1_790_000_000, until: 1_810_000_000 }],
};

test('a rule of Algolia becomes a configuration of searches with all its parts', (t) => {
  const rule = rivals.algolia.readRule!(full, fields);
  t.deepEqual(rule.unmapped, []);
  t.deepEqual(toConfiguration(rule, place), {
    configuration_id: 'shop-x-sofas',
    constraints: [{ query: { key: 'in_stock', match: true } }],
    preferences: [
      { query: { key: 'brand', match: 'Acme' }, weight: 3 },
      { query: { key: 'brand', match: 'Cheap' }, weight: -1 },
    ],
    search: {
      environments: ['shop'],
      when: { queries: [{ contains: 'sofa' }, { exact: 'red couch' }, { pattern: 'garden *' }] },
      pins: [
        { item_id: 'a', rank: 1 },
        { item_id: 'b', rank: 2 },
        { item_id: 'c', rank: 3 },
      ],
      hides: [{ item_id: 'old' }],
      redirect: '/sofas',
      promoted_content: [{ banner: 'summer' }, { link: { url: '/sale' } }],
    },
    active_from: '2026-09-21T14:13:20.000Z',
    active_until: '2027-05-11T01:46:40.000Z',
  });
});

const hide = { hide: [{ objectID: 'x' }] };
const partial: [title: string, rival: string, rule: object, isKept: boolean, reason: string][] = [
  ['turned off', 'algolia', { enabled: false, consequence: hide }, false, 'The rule is turned off'],
  [
    'context',
    'algolia',
    { conditions: [{ pattern: 'a', context: 'app' }], consequence: hide },
    false,
    'A condition has a context',
  ],
  [
    'empty query',
    'algolia',
    { conditions: [{ pattern: '', anchoring: 'is' }], consequence: hide },
    false,
    'A condition is the empty query',
  ],
  [
    'placeholder',
    'algolia',
    { condition: { pattern: '{facet:brand}' }, consequence: hide },
    false,
    'A condition has a placeholder',
  ],
  [
    'rewriting',
    'algolia',
    { consequence: { ...hide, params: { query: { remove: ['a'] } } } },
    true,
    'The parameter query has no counterpart',
  ],
  ['no effect', 'algolia', { consequence: {} }, false, 'The rule has no effect that maps'],
  ['ended', 'algolia', { consequence: hide, validity: [{ from: 1, until: 2 }] }, false, 'The rule has ended'],
  [
    'tags',
    'typesense',
    { id: 'x', rule: { tags: ['a'] }, excludes: [{ id: 'x' }] },
    false,
    'The condition has tags',
  ],
  [
    'any query',
    'typesense',
    { id: 'x', rule: { query: '*', match: 'exact' }, excludes: [{ id: 'x' }] },
    false,
    'The condition is any query',
  ],
  [
    'sorting',
    'typesense',
    { id: 'x', rule: { query: 'a', match: 'exact' }, excludes: [{ id: 'x' }], sort_by: 'p:asc' },
    true,
    'sort_by has no counterpart',
  ],
  [
    'analytics',
    'typesense',
    { name: 'top', type: 'popular_queries', params: {} },
    false,
    'An analytics rule is not needed: queries and clicks are counted without one',
  ],
];

for (const [title, rival, object, isKept, reason] of partial)
  test(`a rule of ${rival} with ${title} ${isKept ? 'loses a part' : 'is left out'}, with the reason`, (t) => {
    const rule = rivals[rival].readRule!({ objectID: 'r', ...object }, fields);
    t.is(toConfiguration(rule, place) !== undefined, isKept);
    t.deepEqual(rule.unmapped, [reason]);
  });

test('a curation of Typesense becomes a configuration of searches', (t) => {
  const curation = {
    id: 'c1',
    rule: { query: 'mug', match: 'contains' },
    includes: [{ id: 'a', position: 2 }],
    excludes: [{ id: 'b' }],
    filter_by: 'brand:=Acme',
    metadata: { banner: 1 },
    effective_to_ts: 1_810_000_000,
  };
  const rule = rivals.typesense.readRule!(curation, fields);
  t.deepEqual(rule.unmapped, []);
  t.like(toConfiguration(rule, place), {
    constraints: [{ query: { key: 'brand', match: 'Acme' } }],
    search: {
      when: { queries: [{ contains: 'mug' }] },
      pins: [{ item_id: 'a', rank: 2 }],
      hides: [{ item_id: 'b' }],
      promoted_content: [{ banner: 1 }],
    },
    active_until: '2027-05-11T01:46:40.000Z',
  });
});

const synonyms: [rival: string, object: Record<string, unknown>, mapped: object][] = [
  ['algolia', { objectID: 's', type: 'synonym', synonyms: ['sofa', 'couch'] }, { words: ['sofa', 'couch'] }],
  [
    'algolia',
    { objectID: 's', type: 'oneWaySynonym', input: 'tv', synonyms: ['television'] },
    { from: ['tv'], to: ['television'] },
  ],
  [
    'algolia',
    { objectID: 's', type: 'altcorrection1', word: 'car', corrections: ['vehicle'] },
    { from: ['car'], to: ['vehicle'] },
  ],
  [
    'algolia',
    { objectID: 's', type: 'placeholder', placeholder: '<Street>', replacements: ['1'] },
    { reason: 'Synonyms of type placeholder have no counterpart' },
  ],
  ['typesense', { id: 's', synonyms: ['a', 'b'] }, { words: ['a', 'b'] }],
  ['typesense', { id: 's', root: 'a', synonyms: ['b'] }, { from: ['a'], to: ['b'] }],
  ['recombee', { id: 's', term: 'a', synonym: 'b', oneWay: true }, { from: ['a'], to: ['b'] }],
  ['recombee', { id: 's', term: 'a', synonym: 'b', oneWay: false }, { words: ['a', 'b'] }],
];

for (const [rival, object, mapped] of synonyms)
  test(`a synonym of ${rival} is read: ${JSON.stringify(object)}`, (t) => {
    t.deepEqual(rivals[rival].readSynonym!(object), { id: 's', ...mapped });
  });

async function read(rival: Rival, name: string, kind: RecordKind, eventKind?: string, format?: Format) {
  async function* chunks() {
    const bytes = await readFile(join(samples, name));
    /** A message of a dump may lie in several chunks. */
    for (let start = 0; start < bytes.length; start += 7) yield bytes.subarray(start, start + 7);
  }
  const ready = readyMapping(kind === 'items' ? rival.itemMapping : rival.eventMapping, kind)!;
  const opened = await openRows({
    chunks: chunks(),
    format: format ?? formatOf(name)!,
    kind,
    mapping: parseMapping(ready.text, ready.name, kind),
    note() {},
    prepare: (row) => (kind === 'items' ? rival.prepareItem : rival.prepareEvent)?.(row, eventKind) ?? row,
  });
  const options = { kind, itemType: undefined, eventIdPrefix: 'e', isDeclared: () => true };
  const outcomes = await collectAll(toOutcomes(opened, options, 0));
  return outcomes.map((one) => (one.kind === 'record' ? JSON.parse(one.json) : one));
}

test('events of Algolia have the price and quantity of each object, and conversions their kind', async (t) => {
  const events = await read(rivals.algolia, 'algolia-events.json', 'events');
  t.like(events[1], { event_type: 'purchase', action_item: 'mug', amount: 2, purchased_price: 12.5 });
  t.like(events[2], { event_type: 'purchase', action_item: 'kettle', amount: 1, purchased_price: 39 });
  t.like(events[3], { kind: 'skipped', reason: 'objectIDs is empty' });
  const uploaded = await read(rivals.algolia, 'algolia-events.csv', 'events');
  t.deepEqual(
    uploaded.map(({ event_type, amount }) => [event_type, amount]),
    [
      ['add_to_cart', 1],
      ['purchase', 1],
    ],
  );
});

test('purchases of Recombee have the price of a piece, and their kind from the command', async (t) => {
  t.like(await read(rivals.recombee, 'recombee-purchases.json', 'events', 'purchases'), [
    {
      event_type: 'purchase',
      user_id: 'anna',
      amount: 2,
      purchased_price: 12.5,
      profit: 9,
      recommId: 'ee94fa8b',
    },
    { event_type: 'purchase', user_id: 'bert', amount: 1, purchased_price: undefined },
  ]);
});

test("a dump in Gorse's own encoding has its items and feedback", async (t) => {
  const items = await read(rivals.gorse, 'gorse.dump', 'items', undefined, 'gorse-dump');
  t.deepEqual(items, [
    {
      item_id: 'mug',
      title: 'Enamel mug',
      categories: ['Kitchen', 'Gifts'],
      tags: ['enamel', 'blue'],
      publication_datetime: '2026-10-01T09:30:00.000Z',
      item_type: 'product',
    },
    { item_id: 'kettle', title: 'Kettle', brand: 'Acme', material: ['steel'], item_type: 'product' },
    { item_id: 'spoon', tags: [], item_type: 'product' },
  ]);
  const events = await read(rivals.gorse, 'gorse.dump', 'events', undefined, 'gorse-dump');
  t.like(events, [
    { event_type: 'detail_pageview', action_item: 'mug', timestamp: '2026-10-01T09:30:00.000Z', Value: 1 },
    { event_type: 'item_interaction', interaction_type: 'like', action_item: 'kettle' },
    { kind: 'skipped', reason: 'FeedbackType is neverseen' },
  ]);
});

test('levels of a category of Personalize are a path, unless the first has several values', async (t) => {
  t.like(await read(rivals.personalize, 'personalize.csv', 'items'), [
    { categories: ['Home', 'Gifts'] },
    { categories: [['Home', 'Kitchen']] },
  ]);
});
