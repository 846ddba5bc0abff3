/** Extensions: parts of answers that HTTP callers get on request and gRPC callers always. */

import test from 'ava';
import { forAllTests } from '../support/for-all-tests.ts';
import { shopDeployment } from '../support/service.ts';
import { createClients } from './support/clients.ts';
import { testedService } from './support/tested-service.ts';

type Outcome = {
  list_name: string;
  unmet_minimums: { wanted_count: number; found_count: number; reason: string }[];
};
type Extensions = {
  version: number;
  warnings: { kind: string }[];
  outcomes: Outcome[];
  explanations: { list_name: string; items: object[] }[];
  explanation?: { query_used: string };
};
type Answer = { body: object; extensions?: Extensions; applied: string | null; vary: string | null };

const page = 'https://shop.example';
const prefer = { prefer: 'respond-async, Extensions; q=1' };
const nobody = { key: 'brand', match: 'none' };
const rule = {
  constraints: [{ query: nobody, limit: { min: 1 } }],
  preferences: [{ query: nobody, weight: 3 }],
};
const lists = [{ configuration_id: 'brands', list_name: 'top', list_size: 2 }];
const request = { device_id: 'phone', page_type: 'home', lists };

const service = testedService(`
server: { cors_origins: ["${page}"] }
${shopDeployment}`);
const admin = forAllTests('the administrator', () => ({ authorization: service.authorization }));

test.before(async () => {
  for (const id of ['lamp', 'sofa']) await send('PUT', `/shop/items/product/${id}`, { title: id }, admin);
  await send('PUT', '/configurations/brands', rule, admin);
});

test('with extensions, an answer includes the warnings of a configuration', async (t) => {
  const put = (headers: object) => send('PUT', '/configurations/other', rule, { ...admin, ...headers });
  t.deepEqual(await put({}), { body: {}, extensions: undefined, applied: null, vary: 'prefer' });
  const { extensions, applied, vary } = await put(prefer);
  t.is(extensions?.version, 2);
  t.deepEqual(
    extensions?.warnings.map(({ kind }) => kind),
    ['dead_condition', 'dead_condition'],
  );
  t.is(applied, 'extensions');
  t.is(vary, 'prefer');
});

test('with extensions, an answer includes unmet minimums, and their reasons with the scope for it', async (t) => {
  const ask = (headers: object) => send('POST', '/shop/recommendations/requests', request, headers);
  const documented = await ask(admin);
  t.is(documented.extensions, undefined);
  const { extensions, body } = await ask({ ...admin, ...prefer });
  t.deepEqual(Object.keys(body), Object.keys(documented.body));
  const [{ unmet_minimums }] = extensions!.outcomes;
  t.like(unmet_minimums, [{ wanted_count: 1, found_count: 0, reason: 'too_few_in_catalogue' }]);
  t.deepEqual(
    extensions?.explanations.map(({ list_name, items }) => [list_name, items.length]),
    [['top', 2]],
  );
  const { authorization } = await createClients(service).create('recommendations:*');
  for (const caller of [{}, { authorization }]) {
    const told = (await ask({ ...caller, ...prefer })).extensions!;
    t.like(told.outcomes[0].unmet_minimums, [{ wanted_count: 1, reason: '' }]);
    t.deepEqual(told.explanations, [], 'only the scope `explanations` reveals a person’s events');
  }
});

test('with extensions and the scope for it, an answer explains the results of a search', async (t) => {
  const query = { q: 'lamp', device_id: 'phone', page_type: 'search' };
  const search = (headers: object) => send('POST', '/shop/searches/requests', query, headers);
  const { extensions } = await search({ ...admin, ...prefer });
  t.is(extensions?.explanation?.query_used, 'lamp');
  t.deepEqual((await search(prefer)).extensions as object, {});
  t.is((await search(admin)).extensions, undefined);
});

test('only the preference `extensions` without a value requests extensions', async (t) => {
  const ask = (value: string) =>
    send('POST', '/shop/recommendations/requests', request, { prefer: value, origin: page });
  for (const value of ['extensions', 'wait=5,extensions=""', 'a="b\\",c", EXTENSIONS;x="y,z"'])
    t.is((await ask(value)).applied, 'extensions', value);
  for (const value of ['return=minimal', 'a="b, extensions"', 'extensions=none', 'extensions="x"', '']) {
    const { applied, extensions, vary } = await ask(value);
    t.deepEqual([applied, extensions], [null, undefined], value);
    t.is(vary, 'prefer, origin');
  }
  const { applied, vary } = await send('GET', '/shop/items/product/lamp', undefined, { ...admin, ...prefer });
  t.deepEqual([applied, vary], [null, null], 'an operation without extensions has no use for it');
});

test('a page may send preferences, and read the applied ones', async (t) => {
  const { headers } = await fetch(`${service.baseUrl}/shop/recommendations/requests`, {
    method: 'OPTIONS',
    headers: { origin: page, 'access-control-request-method': 'POST' },
  });
  t.true(headers.get('access-control-allow-headers')?.split(', ').includes('prefer'));
  t.true(headers.get('access-control-expose-headers')?.split(', ').includes('preference-applied'));
});

async function send(
  method: string,
  path: string,
  sent: object | undefined,
  headers: object,
): Promise<Answer> {
  const response = await fetch(service.baseUrl + path, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    body: sent && JSON.stringify(sent),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`);
  const { extensions, ...body } = (await response.json()) as { extensions?: Extensions };
  const [applied, vary] = ['preference-applied', 'vary'].map((name) => response.headers.get(name));
  return { body, extensions, applied, vary };
}
