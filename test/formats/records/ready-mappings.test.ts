/** Samples look like the exports of the products that they are named after. */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { formatOf } from '../../../src/formats/records/formats.ts';
import { parseMapping, type RecordKind } from '../../../src/formats/records/mapping/mapping.ts';
import { readyMapping, readyNames } from '../../../src/formats/records/mapping/ready-mappings.ts';
import { openRows, toOutcomes } from '../../../src/formats/records/open-records.ts';
import { collectAll } from '../../cli/support/collect.ts';

async function read(name: string, kind: RecordKind, mapping?: string) {
  async function* chunks() {
    yield await readFile(join(import.meta.dirname, 'samples', name));
  }
  const opened = await openRows({
    chunks: chunks(),
    format: formatOf(name)!,
    kind,
    mapping: mapping === undefined ? undefined : parseMapping(mapping, 'm.yaml', kind),
    note() {},
  });
  const options = { kind, itemType: undefined, eventIdPrefix: 'e', isDeclared: () => true };
  const outcomes = await collectAll(toOutcomes(opened, options, 0));
  const documents = outcomes.flatMap((one) => (one.kind === 'record' ? [JSON.parse(one.json)] : []));
  return { documents, name: opened.mapping?.path, outcomes };
}

const shops: [sample: string, mapping: string, expected: object[]][] = [
  [
    'shopify.csv',
    'shopify',
    [
      {
        item_id: 'fleece-hat-Moss-M',
        group_id: 'fleece-hat',
        title: 'Fleece hat',
        categories: [['Apparel & Accessories', 'Clothing Accessories', 'Hats']],
        tags: ['winter', 'outdoor'],
        images: ['https://cdn.example/hat-moss.jpg'],
        price: 24.9,
        in_stock: true,
      },
      {
        item_id: 'fleece-hat-Coal-M',
        title: 'Fleece hat',
        brand: 'Fjellheim',
        images: ['https://cdn.example/hat-2.jpg'],
        in_stock: false,
      },
      { item_id: 'gift-card', categories: ['Gift cards'], in_stock: true },
    ],
  ],
  [
    'shopify-template.csv',
    'shopify-template',
    [
      { item_id: 'trail-socks-38', title: 'Trail socks', in_stock: true },
      { item_id: 'trail-socks-42', title: 'Trail socks', in_stock: false },
    ],
  ],
  [
    'woocommerce.csv',
    'woocommerce',
    [
      {
        item_id: '44',
        categories: [
          ['Clothing', 'T-shirts'],
          ['Sale', 'Men, women'],
        ],
        images: ['https://woo.example/vneck-1.jpg', 'https://woo.example/vneck-2.jpg'],
      },
      { item_id: '45', description: 'Leather belt', price: 45.9, in_stock: true },
    ],
  ],
  [
    'magento.csv',
    'magento',
    [{ item_id: '24-MB01', categories: [['Gear'], ['Gear', 'Bags']], price: 29, in_stock: true }],
  ],
  [
    'google.tsv',
    'google-merchant',
    [
      { item_id: 'cfg-1', price: 1299, in_stock: true, images: ['https://shop.example/t.jpg'] },
      { item_id: 'cfg-2', price: 149, group_id: 'tables', categories: [['Home', 'Furniture', 'Tables']] },
    ],
  ],
  [
    'google.xml',
    'google-merchant-xml',
    [
      {
        item_id: 'TV_123456',
        title: 'LG 22LB4510 - 22" LED TV',
        price: 159,
        categories: [['Consumer Electronics', 'TVs', 'Flat Panel TVs'], 'Sale'],
      },
    ],
  ],
  [
    'feed.rss',
    'rss',
    [
      {
        item_id: 'news-1',
        description: '<p>Long &amp; full</p>',
        tags: ['Transport', 'Harbour'],
        publication_datetime: '2026-11-01T09:00:00.000Z',
        images: ['https://news.example/f.jpg'],
      },
      { item_id: 'https://news.example/rain', description: 'Wet', tags: ['Weather'] },
    ],
  ],
  [
    'feed.atom',
    'atom',
    [
      {
        item_id: 'urn:uuid:1225c695',
        title: 'Atoms &amp; more',
        uri: 'https://blog.example/1',
        publication_datetime: '2026-10-30T08:00:00.000Z',
      },
    ],
  ],
  ['feed.json', 'json-feed', [{ item_id: '2', tags: ['a', 'b'], images: ['https://blog.example/2.png'] }]],
  [
    'schema-org.json',
    'schema-org',
    [
      {
        item_id: '0446310786',
        brand: 'ACME',
        price: 119.99,
        in_stock: true,
        categories: [['Tools', 'Anvils']],
      },
      { item_id: 'https://news.example/a', author: 'Jane', tags: ['x', 'y'] },
    ],
  ],
  [
    'algolia.ndjson',
    'algolia',
    [
      {
        item_id: 'mug',
        title: 'Enamel mug',
        categories: [['Home', 'Kitchen']],
        tags: ['gift', 'blue'],
        images: ['https://shop.example/mug.jpg'],
        price: 12.5,
        brand: 'Acme',
        rating: 4,
        _geoloc: undefined,
        _highlightResult: undefined,
      },
      { item_id: 'kettle', price: 39, stock: { berlin: 3 } },
    ],
  ],
  [
    'recombee.json',
    'recombee',
    [
      { item_id: 'mug', in_stock: true, brand: 'Acme', categories: [['Home'], ['Kitchen']] },
      { item_id: 'kettle', title: 'Kettle', in_stock: false },
    ],
  ],
  [
    'gorse.jsonl',
    'gorse',
    [{ item_id: 'mug', categories: ['Kitchen', 'Gifts'], tags: ['enamel', 'blue'] }, { item_id: 'kettle' }],
  ],
  [
    'typesense.jsonl',
    'typesense',
    [{ item_id: 'mug', brand: 'Acme', price: 12.5, tags: ['gift'], embedding: undefined }],
  ],
  [
    'personalize.csv',
    'personalize',
    [
      { item_id: 'mug', categories: ['Home', 'Gifts'], price: 12.5, BRAND: 'Acme' },
      { item_id: 'kettle', publication_datetime: '2026-09-21T14:13:20.000Z', price: 39, BRAND: undefined },
    ],
  ],
];

const collectors: typeof shops = [
  [
    'ga4.ndjson',
    'ga4',
    [
      {
        event_type: 'purchase',
        event_id: '1234.5678-1793527200123000-purchase-SKU_1',
        action_item: 'SKU_1',
        amount: 3,
        purchased_price: 9.99,
        timestamp: '2026-11-01T10:00:00.123Z',
        page_location: 'https://shop.example/thanks',
      },
      { action_item: 'SKU_2', amount: 1 },
      { event_type: 'page_visit', user_id: 'u1', channel: 'web' },
    ],
  ],
  [
    'segment.ndjson',
    'segment',
    [
      { event_type: 'purchase', action_item: '507f1f77', purchased_price: 19, user_id: '97980cfea0067' },
      { event_type: 'purchase', action_item: '505bd76a', amount: 2 },
      { event_type: 'detail_pageview', action_item: '507f1f77', event_id: 'm-2' },
      { event_type: 'page_visit', event_id: 'm-3' },
    ],
  ],
  [
    'ubi.ndjson',
    'ubi',
    [{ event_type: 'detail_pageview', action_item: 'B07', device_id: 'c-1', query: 'ink', position: 3 }],
  ],
  [
    'snowplow.ndjson',
    'snowplow',
    [
      { event_type: 'purchase', action_item: 'P1', timestamp: '2026-11-01T10:00:00.500Z' },
      { event_type: 'purchase', action_item: 'P2', purchased_price: 5 },
      { event_type: 'page_visit', user_id: 'u1' },
    ],
  ],
  [
    'matomo.json',
    'matomo',
    [
      { event_type: 'detail_pageview', action_item: 'SKU-1', event_id: '98-1793527100-1' },
      { event_type: 'purchase', action_item: 'SKU-1', amount: 2, order_id: 'A1' },
      { event_type: 'purchase', action_item: 'SKU-2', purchased_price: 10 },
    ],
  ],
  [
    'algolia-events.json',
    'algolia-events',
    [
      { event_type: 'detail_pageview', device_id: 'anonymous-1', action_item: 'mug' },
      { event_type: 'purchase', user_id: 'anna', action_item: 'mug' },
      { event_type: 'purchase', action_item: 'kettle', timestamp: '2026-10-03T04:01:40.000Z' },
    ],
  ],
  [
    'recombee-events.ndjson',
    'recombee-events',
    [
      { event_type: 'detail_pageview', user_id: 'anna', timestamp: '2026-10-03T04:00:00.500Z', duration: 14 },
      { event_type: 'item_interaction', interaction_type: 'dislike' },
    ],
  ],
  [
    'gorse-events.json',
    'gorse-events',
    [
      { event_type: 'detail_pageview', event_id: 'gorse-read-anna-mug' },
      { event_type: 'item_interaction', interaction_type: 'like', action_item: 'kettle' },
    ],
  ],
  [
    'typesense-events.json',
    'typesense-events',
    [{ event_type: 'detail_pageview', action_item: 'mug' }, { action_item: 'kettle' }],
  ],
  [
    'personalize-events.csv',
    'personalize-events',
    [
      { event_type: 'detail_pageview', action_item: 'mug', timestamp: '2026-10-03T04:00:00.000Z' },
      { event_type: 'purchase', amount: 1, EVENT_VALUE: '12.5', IMPRESSION: undefined },
    ],
  ],
];

const samples = [
  ...shops.map((one) => [...one, 'items'] as const),
  ...collectors.map((one) => [...one, 'events'] as const),
];

for (const [sample, mapping, expected, kind] of samples)
  test(`${sample} is read with the mapping ${mapping}, by its columns or by name`, async (t) => {
    const { text } = readyMapping(mapping, kind)!;
    const isRecognised = text.includes('recognise:');
    const { documents, name, outcomes } = await read(sample, kind, isRecognised ? undefined : text);
    t.is(name, isRecognised ? mapping : 'm.yaml');
    t.deepEqual(
      outcomes.filter((one) => one.kind === 'refused'),
      [],
    );
    t.is(documents.length, expected.length);
    for (const [i, one] of expected.entries()) t.like(documents[i], one as Record<string, unknown>);
  });

test('every ready mapping is a mapping file that has a sample', (t) => {
  for (const kind of ['items', 'events'] as const)
    for (const name of readyNames(kind)) {
      t.notThrows(() => parseMapping(readyMapping(name, kind)!.text, name, kind));
      t.true(
        samples.some(([, mapping, , of]) => mapping === name && of === kind),
        name,
      );
    }
});

test('the first sheet of a workbook is a table', async (t) => {
  const mapping = `items:
  item_id: EAN
  title: Name
  price: { column: Preis, as: number }
  released: { column: Datum, as: date }
  in_stock: { column: Lager, as: boolean }
  rank: { column: Name, as: number, when: { column: Preis, is: n/a } }`;
  const { outcomes, documents } = await read('preise.xlsx', 'items', mapping);
  t.deepEqual(documents, [
    {
      item_id: '4006381333931',
      title: 'Größe & mehr',
      price: 1299.5,
      released: '2026-11-01T00:00:00.000Z',
      in_stock: true,
    },
  ]);
  t.like(outcomes[1], { kind: 'refused', line: 4, text: "17,'=1+1,n/a,," });
});
