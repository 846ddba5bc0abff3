/** The files named in the documents' commands, with a few lines each. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './documents.ts';

const quickStart = (name: string) => readFileSync(join(root, 'docs/quick-starts/shop', name), 'utf8');

function table(head: string, rows: (string | number)[][], separator = ','): string {
  return `${[head, ...rows.map((row) => row.join(separator))].join('\n')}\n`;
}

/** Twelve users with seven of twenty items each, one a minute. */
const visits = Array.from({ length: 12 * 7 }, (_, index) => {
  const person = index % 12;
  return { person: person + 1, thing: ((person * 3 + Math.floor(index / 12) * 2) % 20) + 1, minute: index };
});

const firstMoment = Date.parse('2026-10-01T08:00:00Z');
const momentOf = (minute: number) => new Date(firstMoment + minute * 60_000).toISOString();
const secondOf = (minute: number) => (firstMoment + minute * 60_000) / 1_000;

const departments = ['DELI', 'GROCERY', 'PRODUCE', 'MEAT'];
const products = [862_139, 999_999, ...visits.map(({ thing }) => 1_000 + thing)];
const productRows = [...new Set(products)].map((product, index) => [
  product,
  index % 3,
  departments[index % 4],
  index % 2 === 0 ? 'National' : 'Private',
  'SNACKS',
  `SNACK ${product}`,
  '14.5 OZ',
]);

/** The users named in the documents, and others. */
const households = [2_261, 511];

const transactions = visits.map(({ person, thing, minute }) => [
  households[person] ?? person,
  1,
  minute,
  1_000 + thing,
  1,
  2.5,
  momentOf(minute),
]);

const listOf = (of: number) =>
  visits
    .filter(({ person }) => person === of)
    .map(({ thing }) => thing)
    .join(' ');
const people = Array.from({ length: 12 }, (_, index) => index + 1);

/** Small exports of other products and shops. */
function samples(folder: string, ...names: string[]): Record<string, string> {
  const chosen = names.length > 0 ? names : readdirSync(join(root, folder));
  return Object.fromEntries(chosen.map((name) => [name, readFileSync(join(root, folder, name), 'utf8')]));
}

export const files: Record<string, string> = {
  ...samples('test/docs/samples'),
  ...samples('test/formats/records/samples', 'woocommerce.csv', 'google.tsv'),
  ...samples('test/formats/records/samples', 'algolia.ndjson', 'algolia-events.json'),
  ...samples('test/formats/records/samples', 'gorse.jsonl', 'gorse-events.json'),
  ...samples('test/formats/records/samples', 'recombee.json', 'recombee-purchases.json'),
  'answers.ndjson': '{ "query": "sofa", "ids": ["sofa-2", "sofa-1"] }\n',
  'interest.json': '{ "filter": [{ "key": "categories", "match": "Sofas" }], "integration_type": "email" }',
  'rules.json':
    '[{ "objectID": "mugs", "conditions": [{ "pattern": "mug" }], "consequence": { "hide": [{ "objectID": "old" }] } }]',
  'synonyms.json': '[{ "objectID": "cups", "type": "synonym", "synonyms": ["mug", "cup"] }]',
  'settings.json': '{ "searchableAttributes": ["name", "brand"] }',
  'shop.yaml': quickStart('deployment.yaml'),
  'products.ndjson': quickStart('products.ndjson'),
  'prices.ndjson': '{ "item_id": "trail-boots", "item_type": "product", "price": 140 }',
  'products_export.csv': readFileSync(join(root, 'test/formats/records/samples/shopify.csv'), 'utf8'),
  'draft.json':
    '{ "configuration_id": "grocery-home", "constraints": [{ "diversify": { "key": "brand" } }] }',
  'products.csv.gz': table(
    'product_id,manufacturer_id,department,brand,product_category,product_type,package_size',
    productRows,
  ),
  'products.yaml':
    'items: { item_id: product_id, item_type: { value: product }, title: "{product_type}", brand: brand }',
  'transactions_sample.csv.gz': table(
    'household_id,store_id,basket_id,product_id,quantity,sales_value,transaction_timestamp',
    transactions,
  ),
  'clicks.csv.gz': table(
    'visitor,product,at',
    visits.map(({ person, minute }) => [`visitor-${person}`, 'trail-boots', momentOf(minute)]),
  ),
  'clicks.yaml': [
    'events:',
    '  event_type: { value: detail_pageview }',
    '  page_type: { value: detail }',
    '  device_id: visitor',
    '  action_item: product',
    '  timestamp: { column: at, as: date }',
  ].join('\n'),
  'movies.csv': table(
    'movieId,title,genres',
    Array.from({ length: 20 }, (_, index) => [
      index + 1,
      `Film ${index} (${1970 + index})`,
      index % 2 === 0 ? 'Comedy' : 'Drama|War',
    ]),
  ),
  'ratings.csv': ratings(),
  'ratings.csv.gz': ratings(),
  'train.txt': people.map((person) => `${person} ${listOf(person)}\n`).join(''),
  'test.txt': people.map((person) => `${person} ${(person % 20) + 1}\n`).join(''),
  'clicks.txt': table(
    'SessionId\tItemId\tTime',
    visits.map(({ person, thing, minute }) => [person, thing, secondOf(minute)]),
    '\t',
  ),
  'log.csv': table(
    'who,what,when,type',
    visits.map(({ person, thing, minute }) => [
      person,
      thing,
      momentOf(minute),
      minute % 5 === 0 ? 'LIKE' : 'VIEW',
    ]),
  ),
};

function ratings(): string {
  return table(
    'userId,movieId,rating,timestamp',
    visits.map(({ person, thing, minute }) => [person === 12 ? 414 : person, thing, 4, secondOf(minute)]),
  );
}
