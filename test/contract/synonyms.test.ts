/** Synonyms of a running service: stored, tried, used on every node, and deleted. */

import { setTimeout as delay } from 'node:timers/promises';
import test from 'ava';
import { createJsonClient } from '../support/json-client.ts';
import { startSecondNode } from './support/second-node.ts';
import { testedService } from './support/tested-service.ts';

const deployment = `
environments:
  - name: shop
    item_types: [ { name: product } ]
    synonyms: [ { words: [tv, television] } ]
  - name: news
    item_types: [ { name: product } ]
`;

const titles = {
  settee: 'Green settee',
  sofa: 'Red sofa',
  telly: 'Flat television',
  cover: 'Bed and breakfast sign',
  inn: 'Small inn sign',
};

type Results = { lists: { items: { item_id: string }[] }[] };

const service = testedService(deployment);
const http = createJsonClient(service);

test.before(async () => {
  for (const [id, title] of Object.entries(titles))
    for (const environment of ['shop', 'news'])
      await http.put(`/${environment}/items/product/${id}`, { title });
});

async function find(q: string, environment = 'shop', client = http): Promise<string[]> {
  const body = { q, page_type: 'search', device_id: 'd', autocorrect: false };
  const answer = await client.post<Results>(`/${environment}/searches/requests`, body);
  return answer.body.lists.flatMap(({ items }) => items.map(({ item_id }) => item_id));
}

test('a synonym takes effect in the next search of its environment, and so do its replacement and deletion', async (t) => {
  t.deepEqual(await find('davenport'), []);
  const path = '/shop/synonyms/davenport';
  t.is((await http.put(path, { words: ['davenport', 'settee'] })).status, 200);
  t.deepEqual(await find('Davenports'), ['settee']);
  t.deepEqual(await find('davenport', 'news'), []);
  t.is((await http.put(path, { from: ['davenport'], to: ['red sofa', 'settee'] })).status, 200);
  t.deepEqual((await find('davenport')).toSorted(), ['settee', 'sofa']);
  t.deepEqual((await http.get(path)).body, {
    synonym_id: 'davenport',
    from: ['davenport'],
    to: ['red sofa', 'settee'],
  });
  t.is((await http.send('DELETE', path)).status, 200);
  t.deepEqual(await find('davenport'), []);
  t.deepEqual(await find('tv'), ['telly'], 'those of the deployment stay');
  t.is((await http.send('DELETE', path)).status, 404);
  t.is((await http.get(path)).status, 404);
});

test('stop words of a synonym need not be typed', async (t) => {
  await http.put('/shop/synonyms/inns', { from: ['bed and breakfast'], to: ['inn'] });
  t.deepEqual((await find('bed & breakfast')).toSorted(), ['cover', 'inn']);
  t.deepEqual(await find('bed'), ['cover']);
});

test('every node follows changes, including one that starts later and one after a deletion', async (t) => {
  const node = await startSecondNode(service, deployment);
  t.teardown(node.stop);
  const other = createJsonClient({ baseUrl: node.baseUrl, authorization: service.authorization });
  const until = async (q: string, ids: string[]) => {
    while ((await find(q, 'shop', other)).join() !== ids.join()) await delay(20);
  };
  await http.put('/shop/synonyms/canape', { words: ['canape', 'settee'] });
  await until('canape', ['settee']);
  const later = await startSecondNode(service, deployment);
  t.teardown(later.stop);
  const third = createJsonClient({ baseUrl: later.baseUrl, authorization: service.authorization });
  t.deepEqual(await find('canape', 'shop', third), ['settee']);
  await http.send('DELETE', '/shop/synonyms/canape');
  await until('canape', []);
  t.deepEqual(await find('canape', 'shop', other), []);
});

test('an entity tag protects a synonym, and a recreated one has a new tag', async (t) => {
  const send = async (method: string, words: string[] | undefined, headers: Record<string, string> = {}) => {
    const { status, headers: answered } = await fetch(`${service.baseUrl}/shop/synonyms/guarded`, {
      method,
      headers: { authorization: service.authorization, 'content-type': 'application/json', ...headers },
      body: words && JSON.stringify({ words }),
    });
    return { status, tag: answered.get('etag') ?? '' };
  };
  const { status, tag } = await send('PUT', ['a1', 'b1'], { 'if-none-match': '*' });
  t.is(status, 200);
  t.is((await send('PUT', ['a1', 'c1'], { 'if-none-match': '*' })).status, 412);
  t.is((await send('DELETE', undefined, { 'if-match': tag })).status, 200);
  t.is((await send('PUT', ['a1', 'c1'], { 'if-match': tag })).status, 412, 'nothing is there');
  t.is((await send('PUT', ['a1', 'c1'])).status, 200);
  t.is((await send('PUT', ['a1', 'd1'], { 'if-match': tag })).status, 412);
  t.is((await send('DELETE', undefined, { 'if-match': tag })).status, 412);
  t.not((await send('GET', undefined)).tag, tag);
});

const faulty = [
  { title: 'nothing', body: {}, pointer: '' },
  { title: 'both kinds', body: { words: ['a', 'b'], from: ['a'], to: ['b'] }, pointer: '' },
  { title: 'words with one side of the other kind', body: { words: ['a', 'b'], from: ['a'] }, pointer: '' },
  { title: 'one side', body: { from: ['a'] }, pointer: '' },
  { title: 'one word', body: { words: ['a'] }, pointer: '/words' },
  { title: 'a word without letters and digits', body: { words: ['a', '!?'] }, pointer: '/words/1' },
  { title: 'another id', body: { synonym_id: 'other', words: ['a', 'b'] }, pointer: '/synonym_id' },
  { title: '21 words', body: { words: Array.from({ length: 21 }, (_, i) => `w${i}`) }, pointer: '/words' },
  { title: 'a word of 101 letters', body: { words: ['a', 'b'.repeat(101)] }, pointer: '/words/1' },
];

for (const { title, body, pointer } of faulty) {
  test(`a synonym with ${title} is refused`, async (t) => {
    const answer = await http.put<{ errors: { pointer: string }[] }>('/shop/synonyms/faulty', body);
    t.is(answer.status, 400);
    t.deepEqual(
      answer.body.errors.map((error) => error.pointer),
      [pointer],
    );
  });
}

test('a trial reports the queries that would change, without side effects', async (t) => {
  for (const q of ['chaise', 'chaise', 'green chaise', 'sofa', 'television']) await find(q);
  const trial = { synonym: { words: ['chaise', 'sofa'] }, limit: 3 };
  const { status, body } = await http.post<{
    changed_count: number;
    found_count: number;
    queries: {
      query: string;
      searches: number;
      before: object[];
      after: { item_id: string; title: string }[];
    }[];
  }>('/shop/synonym-trials', trial);
  t.is(status, 200);
  const [first, ...others] = body.queries;
  t.like(first, { query: 'chaise', searches: 2, before: [] });
  t.deepEqual(first.after, [{ item_id: 'sofa', item_type: 'product', title: 'Red sofa' }] as never);
  const queries = others.map(({ query }) => query);
  t.true(queries.includes('green chaise'));
  t.false(queries.includes('sofa'), 'it finds what it found');
  t.false(queries.includes('television'));
  t.is(body.changed_count, body.queries.length);
  t.is(body.found_count, body.queries.filter(({ before }) => before.length === 0).length);
  t.deepEqual(await find('chaise'), []);
});

test('a trial that replaces a synonym does not change it', async (t) => {
  await find('futon');
  await http.put('/shop/synonyms/futon', { words: ['futon', 'settee'] });
  const trial = { synonym: { synonym_id: 'futon', words: ['futon', 'sofa'] } };
  const { body } = await http.post<{ queries: { query: string; before: object[]; after: object[] }[] }>(
    '/shop/synonym-trials',
    trial,
  );
  const [tried] = body.queries.filter(({ query }) => query === 'futon');
  t.like(tried, { before: [{ item_id: 'settee' }], after: [{ item_id: 'sofa' }] } as never);
  t.deepEqual(await find('futon'), ['settee']);
});

test('synonyms are listed by ID in pages, and their changes are audited', async (t) => {
  for (const id of ['page-b', 'page-a', 'page-c'])
    await http.put(`/news/synonyms/${id}`, { words: [id, `${id} x`] });
  type Page = { synonyms: { synonym_id: string }[]; next_page_token: string };
  const first = (await http.get<Page>('/news/synonyms?page_size=2')).body;
  const query = `page_size=2&page_token=${first.next_page_token}`;
  const rest = (await http.get<Page>(`/news/synonyms?${query}`)).body;
  const ids = [...first.synonyms, ...rest.synonyms].map(({ synonym_id }) => synonym_id);
  t.deepEqual(ids, ['page-a', 'page-b', 'page-c']);
  t.is(rest.next_page_token, '');
  t.is((await http.get('/shop/synonyms?page_token=x')).status, 400);
  await http.put('/news/synonyms/page-a', { words: ['x', 'y'] });
  await http.send('DELETE', '/news/synonyms/page-a');
  const { entries } = (
    await http.get<{ entries: { action: string; environment: string; before?: object; after?: object }[] }>(
      '/audit?resource=synonyms/page-a',
    )
  ).body;
  t.deepEqual(
    entries.map(({ action, environment, before, after }) => [action, environment, before, after]),
    [
      ['synonyms.delete', 'news', { words: ['x', 'y'] }, undefined],
      ['synonyms.put', 'news', { words: ['page-a', 'page-a x'] }, { words: ['x', 'y'] }],
      ['synonyms.put', 'news', undefined, { words: ['page-a', 'page-a x'] }],
    ],
  );
});
