/** Previews of drafts on the pages of a site: their tokens, answers, and that they leave no trace. */

import { setTimeout as delay } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { forAllTests } from '../support/for-all-tests.ts';
import { createJsonClient } from '../support/json-client.ts';
import { readTables } from '../support/table-scan.ts';
import { createClients } from './support/clients.ts';
import { testedService } from './support/tested-service.ts';

const deployment = `
authentication: { public_operations: [recommendations, searches] }
environments:
  - name: shop
    item_types: [{ name: product, properties: [{ name: brand, type: string, filterable: true }] }]
    filter_fields: [brand]
  - name: news
    item_types: [{ name: product }]
`;

const service = testedService(deployment);
const http = createJsonClient(service);
const visitor = forAllTests('the visitor', () => createJsonClient({ ...service, authorization: '' }));

const onlyOf = (brand: string) => ({ constraints: [{ query: { key: 'brand', match: brand } }] });
const forSearches = { ...onlyOf('Bel'), search: { when: { queries: [{ contains: 'lamp' }] } } };

test.before(async () => {
  for (const [item, brand] of [['a', 'Aka'], ['b', 'Bel']]) // biome-ignore format: a table
    await http.put(`/shop/items/product/${item}`, { title: `Lamp ${item}`, brand });
  await http.put('/configurations/home', onlyOf('Aka'));
  await saveDraft('home', onlyOf('Bel'));
  await saveDraft('lamps', forSearches);
});

const saveDraft = async (id: string, document: object) =>
  (await http.put<{ revision: number }>(`/configurations/${id}/draft`, { base_version: 1, document })).body
    .revision;

const make = (configuration_id: string, given: object = {}, client = http) => {
  const { environment, ...body } = { environment: 'shop', ...given };
  return client.post<{ token: string }>(`/${environment}/preview-tokens`, { configuration_id, ...body });
};

const tokenOf = async (id: string, body?: object) => (await make(id, body)).body.token;

type Answered = {
  preview?: string;
  lists: { list_key?: string; items: { item_id: string }[] }[];
};

/** What a visitor of the shop gets. */
async function shown(path: 'recommendations' | 'searches', preview: string | undefined) {
  const list = { configuration_id: 'home', list_name: 'l', list_size: 5 };
  const { status, body } = await visitor.post<Answered>(`/shop/${path}/requests`, {
    ...{ device_id: 'previewer', page_type: 'home', preview },
    ...(path === 'searches' ? { q: 'lamp' } : { lists: [list] }),
  });
  const ids = body.lists?.flatMap(({ items }) => items.map(({ item_id }) => item_id)).toSorted();
  return { status, preview: body.preview, ids, key: body.lists?.[0]?.list_key };
}

test.serial('a token shows the draft in lists and searches, and nothing is stored', async (t) => {
  const [list, search] = [await tokenOf('home'), await tokenOf('lamps', { lifetime_minutes: 5 })];
  const own = /^(public\.(lanes|feeds|folded|settings|local_feeds|search_snapshots|model_\w+|trainings|served_models)|pgboss\.)/; // biome-ignore format: one pattern
  const before = await readTables(service.database, (table) => !own.test(table));
  const isDraft = { status: 200, preview: 'draft', ids: ['b'] };
  const lists = await shown('recommendations', list);
  const results = await shown('searches', search);
  t.like(lists, isDraft);
  t.like(results, isDraft);
  t.deepEqual([lists.key, results.key], ['', '']);
  t.deepEqual(await readTables(service.database, (table) => !own.test(table)), before);
});

test.serial('without a token, answers are live and say nothing', async (t) => {
  t.like(await shown('recommendations', undefined), { status: 200, preview: undefined, ids: ['a'] });
  t.like(await shown('searches', undefined), { status: 200, preview: undefined, ids: ['a', 'b'] });
});

const isIgnored = async (t: ExecutionContext, token: string, reason: string) => {
  t.like(await shown('recommendations', token), { status: 200, preview: 'ignored', ids: ['a'] }, reason);
  t.like(await shown('searches', token), { status: 200, preview: 'ignored', ids: ['a', 'b'] }, reason);
};

test.serial('a token that does not apply is ignored, and the answer is live', async (t) => {
  const token = await tokenOf('home');
  await isIgnored(t, 'nonsense', 'malformed');
  const [head, claims, signature] = token.split('.');
  const forged = JSON.parse(Buffer.from(claims, 'base64url').toString());
  const longer = Buffer.from(JSON.stringify({ ...forged, exp: forged.exp + 9 })).toString('base64url');
  await isIgnored(t, [head, longer, signature].join('.'), 'tampered');
  await isIgnored(t, await tokenOf('home', { environment: 'news' }), 'of another environment');
  await isIgnored(t, service.authorization.replace('Bearer ', ''), 'an access token');
  const faulty = await tokenOf('lamps');
  await saveDraft('lamps', { constraints: 7 });
  while ((await shown('searches', faulty)).preview === 'draft') await delay(20);
  await isIgnored(t, faulty, 'a faulty draft');
  await saveDraft('lamps', forSearches);
});

test.serial('a token of a revision ends with it, others follow the draft', async (t) => {
  const revision = await saveDraft('home', onlyOf('Bel'));
  const [fixed, following] = [await tokenOf('home', { revision }), await tokenOf('home')];
  while ((await shown('recommendations', fixed)).preview !== 'draft') await delay(20);
  t.is((await make('home', { revision: revision - 1 })).status, 412);
  await saveDraft('home', {});
  while ((await shown('recommendations', fixed)).preview === 'draft') await delay(20);
  t.like(await shown('recommendations', fixed), { preview: 'ignored', ids: ['a'] });
  t.like(await shown('recommendations', following), { preview: 'draft', ids: ['a', 'b'] });
});

test.serial('only readers of a draft make a token, which opens nothing else', async (t) => {
  const token = await tokenOf('home');
  const bearer = createJsonClient({ ...service, authorization: `Bearer ${token}` });
  for (const path of ['/configurations', '/shop/items/product/a']) t.is((await bearer.get(path)).status, 401);
  t.is((await make('home', {}, visitor)).status, 401);
  t.is((await make('home', {}, bearer)).status, 401);
  const { authorization } = await createClients(service).create('configurations:shop');
  const editor = createJsonClient({ ...service, authorization });
  t.is((await make('home', {}, editor)).status, 404, 'a draft for all environments');
  await http.put('/configurations/own/draft', { document: { environments: ['shop'] } });
  t.is((await make('own', {}, editor)).status, 200);
  t.is((await make('own', { environment: 'news' }, editor)).status, 403);
  t.is((await make('own', { environment: 'news' })).reason, 'body_invalid');
  t.is((await make('own', { environment: 'elsewhere' })).status, 404);
  t.is((await make('own', { lifetime_minutes: 1_441 })).status, 400);
  await http.put('/configurations/own/draft', { document: { constraints: 7 } });
  t.is((await make('own')).reason, 'body_invalid', 'a faulty draft');
});
