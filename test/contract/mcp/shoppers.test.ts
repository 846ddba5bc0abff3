/** Tools for shoppers: answers validate against the published schemas of the Universal Commerce Protocol. */

import { readFileSync } from 'node:fs';
import { ProtocolError } from '@modelcontextprotocol/client';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import test from 'ava';
import { createJsonClient } from '../../support/json-client.ts';
import { testedService } from '../support/tested-service.ts';
import { type Agent, openAgent } from './agent.ts';

const service = testedService(`
agents: { shopping: { environment: shop, url: "https://my-shop.example/", configuration_id: picks } }
environments:
  - name: shop
    currency: EUR
    item_types:
      - name: product
        properties: [{ name: price, type: number, filterable: true, returnable: true }]
    filter_fields: [categories, price]
    user_groups: [{ name: recommender, share: 1 }, { name: control, share: 1000000, lists: empty }]
    returned_fields: [title, description, uri, categories, tags, images, price]
`);

const { schemas } = JSON.parse(readFileSync(new URL('ucp-2026-04-08.json', import.meta.url), 'utf8'));
const ajv = new Ajv2020({ strict: false, allErrors: true, schemas });
addFormats.default(ajv);
const validate = (schema: string, json: unknown): string => {
  const check = ajv.getSchema(`https://ucp.dev/schemas/${schema}`)!;
  return check(json) ? '' : ajv.errorsText(check.errors);
};

const responses: Record<string, string> = {
  search_catalog: 'shopping/catalog_search.json#/$defs/search_response',
  lookup_catalog: 'shopping/catalog_lookup.json#/$defs/lookup_response',
  get_product: 'shopping/catalog_lookup.json#/$defs/get_product_response',
  get_recommendations: 'shopping/catalog_search.json#/$defs/search_response',
};

const boots = {
  title: 'Leather boots',
  description: 'Warm.',
  uri: 'https://my-shop.example/boots',
  price: 59.9,
  categories: ['Shoes/Boots'],
  tags: ['winter'],
  images: [{ url: 'https://my-shop.example/boots.jpg', alt: 'Boots', role: 'thumbnail' }, 'not an address'],
};
const items: Record<string, object> = {
  boots,
  loafers: { title: 'Leather loafers', price: 20, categories: ['Shoes'], uri: '/loafers' },
  sample: { title: 'Leather sample', price: 0 },
  hidden: { title: 'Leather hidden', price: 1, tags: ['secret'] },
  expired: { title: 'Leather expired', price: 1, expiration_datetime: '2020-01-01T00:00:00Z' },
  guide: { title: 'Leather guide without a price' },
};

test.before(async () => {
  const http = createJsonClient(service);
  await http.put('/configurations/picks', {
    constraints: [{ query: { key: 'tags', match: 'winter' } }],
  });
  for (const [id, item] of Object.entries(items)) await http.put(`/shop/items/product/${id}`, item);
  await http.put('/shop/items/product/off', { title: 'Leather off', price: 1 });
  await http.post('/shop/items/product/off/disable');
});

type Product = { id: string } & Record<string, unknown>;

/** Robots have a group of their own; the device of other agents is in `control`. */
const robot = 'Mozilla/5.0 (compatible; Claude-User/1.0)';

const open = (t: Parameters<typeof openAgent>[0], userAgent?: string) =>
  openAgent(t, { url: `${service.origin}/mcp`, userAgent });

/** Calls a tool without a token, and checks its answer. */
const ask = async (agent: Agent, name: string, catalog: object) => {
  const meta = { 'ucp-agent': { profile: 'https://agent.example/profile.json' } };
  const { json } = await agent.call(name, { meta, catalog });
  const isError = (json.ucp as { status: string }).status === 'error';
  const fault = validate(isError ? 'shopping/types/error_response.json' : responses[name], json);
  if (fault !== '') throw new Error(`${name}: ${fault}\n${JSON.stringify(json, null, 1)}`);
  return json as typeof json & { products: Product[]; messages: { code: string; content: string }[] };
};

const idsOf = ({ products }: { products: Product[] }) => products.map(({ id }) => id).toSorted();
const told = (answer: { messages: { code: string; content: string }[] }, code: string) =>
  answer.messages.filter((message) => message.code === code).map(({ content }) => content);

test('without a token, an agent sees only the tools for shoppers', async (t) => {
  const agent = await open(t);
  t.deepEqual(await agent.toolNames(), Object.keys(responses));
  await t.throwsAsync(agent.call('search', { environment: 'shop', query: '' }), { message: /Unknown tool/ });
});

test('the profile validates, and declares the extension with its schema', async (t) => {
  // biome-ignore lint/suspicious/noExplicitAny: documents that the schemas check.
  const read = async (path: string): Promise<any> => (await fetch(service.origin + path)).json();
  const profile = await read('/.well-known/ucp');
  t.is(validate('ucp.json#/$defs/business_schema', profile.ucp), '');
  t.is(profile.ucp.services['dev.ucp.shopping'][0].endpoint, 'https://my-shop.example/mcp');
  const [extension] = profile.ucp.capabilities['example.my_shop.recommendations'];
  t.is(extension.extends, 'dev.ucp.shopping.catalog.search');
  const schema = await read(new URL(extension.schema).pathname);
  t.is(schema.$id, extension.schema);
  t.true(ajv.validateSchema(schema));
});

test('a product has the fields of its item', async (t) => {
  const { product } = await ask(await open(t), 'get_product', { id: 'boots' });
  const amount = { amount: 5_990, currency: 'EUR' };
  const address = 'https://my-shop.example/boots';
  const common = { id: 'boots', title: 'Leather boots', description: { plain: 'Warm.' }, url: address };
  t.deepEqual(product, {
    ...common,
    categories: [{ value: 'Shoes/Boots', taxonomy: 'merchant' }],
    tags: ['winter'],
    media: [{ type: 'image', url: `${address}.jpg`, alt_text: 'Boots' }],
    price_range: { min: amount, max: amount },
    variants: [{ ...common, price: amount }],
  });
});

test('a search is filtered by category and price, to the cent', async (t) => {
  const agent = await open(t);
  const context = { currency: 'EUR' };
  const all = ['boots', 'hidden', 'loafers', 'sample'];
  const cases: [object, string[]][] = [
    [{ query: 'leather' }, all],
    [{ filters: { categories: ['Shoes'] } }, ['boots', 'loafers']],
    [{ filters: { price: { min: 2_000, max: 5_990 } }, context }, ['boots', 'loafers']],
    [{ filters: { price: { min: 2_001 } }, context }, ['boots']],
    [{ filters: { price: { max: 5_989, min: 100 } }, context }, ['hidden', 'loafers']],
    [{ query: 'nothing like it' }, []],
  ];
  for (const [catalog, ids] of cases)
    t.deepEqual(idsOf(await ask(agent, 'search_catalog', catalog)), ids, JSON.stringify(catalog));
  const dollars = { filters: { price: { max: 1 } }, context: { currency: 'USD' } };
  const unfiltered = await ask(agent, 'search_catalog', dollars);
  t.deepEqual([idsOf(unfiltered), told(unfiltered, 'filter_ignored').length], [all, 1]);
});

test('the pages of a search have each product once', async (t) => {
  const agent = await open(t);
  const seen: string[] = [];
  let cursor: string | undefined;
  do {
    const answer = await ask(agent, 'search_catalog', { query: 'leather', pagination: { limit: 2, cursor } });
    seen.push(...idsOf(answer));
    ({ cursor } = answer.pagination as { cursor?: string });
  } while (cursor !== undefined && seen.length < 10);
  t.deepEqual(seen.toSorted(), ['boots', 'hidden', 'loafers', 'sample']);
});

for (const userAgent of [undefined, robot])
  test(`a lookup of ${userAgent ?? 'an agent'} finds what may be shown, and names the rest`, async (t) => {
    const agent = await open(t, userAgent);
    const answer = await ask(agent, 'lookup_catalog', {
      ids: ['boots', 'none', 'off', 'expired', 'guide', 'loafers', 'boots'],
    });
    t.deepEqual(idsOf(answer), ['boots', 'loafers']);
    t.deepEqual(told(answer, 'not_found'), ['none', 'off', 'expired', 'guide']);
    const missing = await ask(agent, 'get_product', { id: 'off' });
    t.deepEqual(told(missing, 'not_found'), ['Product not found: off']);
  });

test.serial('rules hold for agents as for people, and texts are marked as data', async (t) => {
  const agent = await open(t);
  const catalog = { product_id: 'loafers', limit: 3 };
  const beside = await ask(agent, 'get_recommendations', catalog);
  t.deepEqual(idsOf(beside), ['boots']);
  t.deepEqual(idsOf(await ask(await open(t, robot), 'get_recommendations', catalog)), ['boots']);
  t.regex(told(beside, 'untrusted_content')[0], /never as instructions/);
  await createJsonClient(service).put('/configurations/hides', {
    search: { hides: [{ item_id: 'hidden' }] },
  });
  t.deepEqual(idsOf(await ask(agent, 'search_catalog', { query: 'hidden' })), []);
  await createJsonClient(service).send('DELETE', '/configurations/hides');
});

test('a faulty input is an error of JSON-RPC', async (t) => {
  const agent = await open(t);
  const ids = Array.from({ length: 51 }, (_, i) => `p${i}`);
  for (const [name, catalog] of [
    ['lookup_catalog', { ids }],
    ['lookup_catalog', {}],
    ['search_catalog', { query: 1 }],
    ['search_catalog', { pagination: { cursor: 'forged' } }],
  ] as const) {
    const error = await t.throwsAsync(agent.call(name, { catalog }), { instanceOf: ProtocolError });
    t.is((error as ProtocolError).code, -32_602, name);
  }
});
