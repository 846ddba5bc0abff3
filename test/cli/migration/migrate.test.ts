/** Migrations into a running service. */

import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { createJsonClient } from '../../support/json-client.ts';
import { startTestService } from '../../support/service.ts';
import { runAgainst, runCommand } from '../support/command.ts';

const samples = join(import.meta.dirname, '../../formats/records/samples');

const rules = [
  {
    objectID: 'mugs',
    conditions: [{ pattern: 'mug', anchoring: 'contains' }],
    consequence: {
      promote: [{ objectID: 'kettle', position: 0 }],
      params: { filters: 'brand:Acme OR brand:Other' },
    },
  },
  {
    objectID: 'app',
    conditions: [{ pattern: 'mug', context: 'app' }],
    consequence: { hide: [{ objectID: 'mug' }] },
  },
  {
    objectID: 'late',
    conditions: [{ pattern: 'tea' }],
    consequence: { promote: [{ objectID: 'kettle', position: 0 }], params: { query: 'kettle' } },
  },
];
const synonyms = {
  hits: [
    { objectID: 's1', type: 'synonym', synonyms: ['mug', 'cup'] },
    { objectID: 's2', type: 'placeholder', placeholder: '<n>', replacements: ['1'] },
  ],
  nbHits: 2,
};
const settings = {
  searchableAttributes: ['name,brand', 'unordered(rating)'],
  attributesForFaceting: ['searchable(brand)', 'filterOnly(season)'],
  customRanking: ['desc(rating)'],
};

const counts = {
  items: { accepted: 2, refused: 0, skipped: 0 },
  events: { accepted: 3, refused: 0, skipped: 1 },
};

/** Copies the exports into a folder of the test; the command beside the files knows the rest. */
async function openAlgolia(t: ExecutionContext) {
  const service = await startTestService(t);
  const folder = await mkdtemp(join(tmpdir(), 'migration-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const file = (name: string) => join(folder, name);
  for (const name of ['algolia.ndjson', 'algolia-events.json'])
    await copyFile(join(samples, name), file(name));
  for (const [name, json] of Object.entries({ rules, synonyms, settings }))
    await writeFile(file(`${name}.json`), JSON.stringify(json));
  const migrate = async (...more: string[]) => {
    const { stdout, stderr, exitCode } = await runAgainst(
      service,
      ...['migrate', 'algolia', '--environment', 'shop', '--json', '--items', file('algolia.ndjson')],
      ...['--events', file('algolia-events.json'), '--rules', file('rules.json')],
      ...['--synonyms', file('synonyms.json'), '--settings', file('settings.json'), ...more],
    );
    t.is(exitCode, 0, stderr);
    return JSON.parse(stdout);
  };
  return { service, http: createJsonClient(service), migrate };
}

test('Algolia: a dry run stores nothing, and reports what does not map', async (t) => {
  const { http, migrate } = await openAlgolia(t);
  const { parts, not_mapped, proposed_properties } = await migrate('--dry-run');
  t.deepEqual(parts, {
    ...counts,
    synonyms: { stored: 1, unchanged: 0, refused: 0 },
    rules: { stored: 2, unchanged: 0, refused: 0 },
  });
  t.is((await http.get('/shop/items/product/mug')).status, 404);
  t.deepEqual((await http.get('/configurations')).body, []);
  const found = not_mapped.map(({ part, reason }: Record<string, string>) => `${part}: ${reason}`);
  for (const loss of [
    'settings: The setting customRanking has no counterpart',
    'items: _geoloc Left out.',
    'synonyms: Synonyms of type placeholder have no counterpart',
    'rules: A condition has a context',
    'rules: The parameter query has no counterpart',
    'events: Skipped: objectIDs is empty.',
  ])
    t.true(found.includes(loss), `${loss} is not in ${found.join('; ')}`);
  const properties = ['{ name: rating, type: number }', '{ name: season, type: string, filterable: true }'];
  t.is(
    proposed_properties,
    ['  - name: product', '    properties:', ...properties.map((one) => `      - ${one}`)].join('\n'),
  );
});

test('Algolia: a repeated migration changes nothing', async (t) => {
  const { service, http, migrate } = await openAlgolia(t);
  t.like(await migrate(), { parts: { ...counts, synonyms: { stored: 1 }, rules: { stored: 2 } } });
  t.like((await http.get('/shop/items/product/mug')).body, {
    brand: 'Acme',
    price: 12.5,
    item_attributes: { rating: 4 },
  });
  t.like((await http.get('/configurations/shop-algolia-mugs')).body, {
    constraints: [{ query: { key: 'brand', match: ['Acme', 'Other'] } }],
    search: { pins: [{ item_id: 'kettle', rank: 1 }] },
  });
  t.like((await http.get('/shop/synonyms/algolia-s1')).body, { words: ['mug', 'cup'] });
  t.deepEqual((await migrate()).parts, {
    ...counts,
    synonyms: { stored: 0, unchanged: 1, refused: 0 },
    rules: { stored: 0, unchanged: 2, refused: 0 },
  });
  const { stdout } = await runAgainst(service, 'export', 'events', '--environment', 'shop');
  t.is(stdout.trim().split('\n').length, 3);
});

test('Gorse: a dump has items and events, and hidden items are disabled', async (t) => {
  const service = await startTestService(t);
  const folder = await mkdtemp(join(tmpdir(), 'migration-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  await copyFile(join(samples, 'gorse.dump'), join(folder, 'gorse.dump'));
  const from = ['migrate', 'gorse', '--environment', 'shop', '--dump', join(folder, 'gorse.dump')];
  const { stdout, exitCode } = await runAgainst(service, ...from);
  t.is(exitCode, 0);
  t.regex(stdout, /items +3 accepted\n/);
  t.regex(stdout, /events +2 accepted, 1 skipped\n/);
  t.regex(stdout, /events +1 +Skipped: FeedbackType is neverseen\. +\S+gorse\.dump:3/);
  const exported = await runAgainst(service, 'export', 'items', '--environment', 'shop');
  const items = exported.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  t.like(
    items.find(({ item_id }) => item_id === 'kettle'),
    { brand: 'Acme', _enabled: false },
  );
});

test('without a product, migrate needs the database', async (t) => {
  const { exitCode, stderr } = await runCommand(['migrate'], { DATABASE_URL: undefined });
  t.is(exitCode, 1);
  t.regex(stderr, /--database-url/);
});
