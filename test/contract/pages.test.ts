/** Composed pages: rows chosen and ordered for a subject, without repeats, within the rules of the page. */

import { createClient } from '@connectrpc/connect';
import test from 'ava';
import { PageService } from '../../gen/es/personalisation/v1/page_service_pb.js';
import { runAgainst } from '../cli/support/command.ts';
import { createAdminTransport } from '../support/admin-transport.ts';
import { createJsonClient } from '../support/json-client.ts';
import { newDevice } from './support/shops.ts';
import { testedService } from './support/tested-service.ts';

const service = testedService(`
environments:
  - name: shop
    default_language: en
    item_types:
      - name: film
        consumed_by: [checkpoint]
        properties: [{ name: brand, type: string }, { name: price, type: number }]
    page_purposes: { other: similar }
`);
const http = createJsonClient(service);

const genres = ['comedy', 'drama', 'horror', 'crime'];
const idsOfGenre = (genre: string) => Array.from({ length: 8 }, (_, i) => `${genre}-${i}`);

/** A visitor with an interest in the first genre. */
const fan = newDevice();

test.before(async () => {
  await http.put('/configurations/any', {});
  await http.put('/configurations/cheap', {
    constraints: [{ query: { key: 'price', lt: [{ value: 10 }] } }],
  });
  for (const [g, genre] of genres.entries())
    for (const [i, id] of idsOfGenre(genre).entries())
      await http.put(`/shop/items/film/${id}`, {
        title: `${genre} film ${i}`,
        categories: [`Film/${genre}`],
        brand: g < 2 ? 'north' : 'south',
        price: i === 0 ? 5 : 20,
      });
  const seen = (device_id: string, action_item: string, place: number) => ({
    ...{ event_type: 'detail_pageview', page_type: 'detail', device_id, action_item },
    timestamp: Math.floor(Date.now() / 1_000) - 3_600 + place,
  });
  const visits = Array.from({ length: 40 }, (_, person) =>
    [0, 1, 2, 3].map((step) => seen(`p${person}`, `${genres[person % 4]}-${(person + step) % 8}`, step)),
  );
  await http.post('/shop/events', { events: visits.flat() });
  const own = ['drama-0', 'comedy-1', 'comedy-0'].map((id, place) => seen(fan, id, 100 + place));
  await http.post('/shop/events', { events: own });
  await http.post('/trainings', {});
});

type Row = {
  position: number;
  title: string;
  gain: number;
  segment?: { property: string; value: string };
  list: { list_name: string; list_key: string; list_size: number; items: { item_id: string }[] };
};
type Page = { request_id: string; rows: Row[] };

const source = (list_name: string, more: object = {}) => ({
  list_name,
  configuration_id: 'any',
  list_size: 4,
  ...more,
});

async function ask(rows: object[], more: object = {}): Promise<Page> {
  const body = { device_id: fan, page_type: 'home', rows, ...more };
  const { status, body: page } = await http.post<Page>('/shop/pages/requests', body);
  if (status !== 200) throw new Error(JSON.stringify(page));
  return page;
}

const idsOf = ({ rows }: Page) => rows.flatMap(({ list }) => list.items.map(({ item_id: id }) => id));

test('rows are of segments, hold only their items, and repeat none', async (t) => {
  const page = await ask(
    [
      source('genres', { for_each: 'categories', maximum_rows: 3, title: 'Best of {segment}' }),
      source('because', {
        for_each: 'viewed_item',
        maximum_rows: 2,
        list_size: 3,
        title: 'You viewed {item.title}',
      }),
      source('trending', { order: 'trending', title: 'Trending' }),
      source('new', { order: 'newest', titles: { de: 'Neu', en: 'New' } }),
    ],
    { language: 'de-AT' },
  );
  const ids = idsOf(page);
  t.is(new Set(ids).size, ids.length);
  const ofGenres = page.rows.filter(({ list }) => list.list_name === 'genres');
  t.is(ofGenres.length, 3);
  for (const { title, segment, list } of ofGenres) {
    const genre = segment!.value.split('/')[1];
    t.is(title, `Best of ${genre}`);
    t.true(list.items.every(({ item_id: id }) => id.startsWith(genre)));
  }
  const because = page.rows.filter(({ list }) => list.list_name === 'because');
  t.true(because.length > 0);
  t.regex(because[0].title, /^You viewed (comedy|drama) film \d$/);
  t.is(because[0].segment!.property, 'viewed_item');
  t.true(page.rows.some(({ title }) => title === 'Neu'));
});

test('rows come by their gain for the subject, and a pinned row at its position', async (t) => {
  const rows = [
    source('genres', { for_each: 'categories', maximum_rows: 4 }),
    source('trending', { order: 'trending', pinned: 2 }),
  ];
  const page = await ask(rows);
  t.is(page.rows[0].segment!.value, 'Film/comedy');
  t.is(page.rows[1].list.list_name, 'trending');
  t.deepEqual(
    page.rows.map(({ position }) => position),
    [1, 2, 3, 4, 5],
  );
  const gains = page.rows.filter((_, place) => place !== 1).map(({ gain }) => gain);
  t.deepEqual(
    gains,
    gains.toSorted((a, b) => b - a),
  );
  t.true(gains[0] > 0);
});

test('pinned rows of one source follow each other by their gain', async (t) => {
  const genresOf = async (more: object) => {
    const rows = [
      source('genres', { for_each: 'categories', maximum_rows: 3, ...more }),
      source('trending', { order: 'trending' }),
    ];
    return (await ask(rows)).rows.map(({ segment }) => segment?.value);
  };
  const [first, second, third, trending] = await genresOf({});
  t.deepEqual(await genresOf({ pinned: 1 }), [first, second, third, trending]);
  t.deepEqual(await genresOf({ pinned: 2 }), [trending, first, second, third]);
});

test('a page keeps its rules on the number of rows, of rows of a segment and of items', async (t) => {
  const rows = [
    source('genres', { for_each: 'categories', maximum_rows: 4 }),
    source('new genres', { for_each: 'categories', maximum_rows: 4, order: 'newest' }),
    source('cheap', { configuration_id: 'cheap', minimum_items: 5, list_size: 8 }),
  ];
  const names = ({ rows: made }: Page) => made.map(({ list }) => list.list_name);
  t.is((await ask(rows, { maximum_rows: 3 })).rows.length, 3);
  const page = await ask(rows, { rows_per_segment: 1, maximum_rows: 10 });
  const values = page.rows.map(({ segment }) => segment?.value);
  t.is(new Set(values).size, values.length);
  t.false(names(page).includes('cheap'));
  t.true(
    names(await ask([source('cheap', { configuration_id: 'cheap', minimum_items: 4 })])).includes('cheap'),
  );
});

test('each row is a stored list of the page, paged by its key', async (t) => {
  const { rows, request_id: requestId } = await ask([
    source('genres', { for_each: 'categories', maximum_rows: 2, list_size: 6, limit: 2 }),
  ]);
  for (const { list } of rows) {
    t.is(list.items.length, 2);
    const { body } = await http.get<{ request_id: string; lists: Row['list'][] }>(
      `/shop/recommendations/lists?list_key=${list.list_key}&offset=3&limit=2`,
    );
    t.is(body.request_id, requestId);
    t.is(body.lists[0].list_name, 'genres');
    t.is(body.lists[0].items.length, 2);
  }
});

test('a stranger gets the rows in the order of their definition, and no rows of viewed items', async (t) => {
  const rows = [
    source('because', { for_each: 'viewed_item' }),
    source('b', { order: 'newest' }),
    source('a'),
  ];
  const page = await ask(rows, { device_id: newDevice() });
  t.false(page.rows.some(({ list }) => list.list_name === 'because'));
  t.is(page.rows.length, 2);
});

test('pages without profiling are equal for everyone', async (t) => {
  const rows = [source('genres', { for_each: 'categories', maximum_rows: 4 })];
  const [one, other] = await Promise.all(
    [fan, newDevice()].map((device_id) => ask(rows, { device_id, profiling: 'none' })),
  );
  t.deepEqual(idsOf(one), idsOf(other));
});

test('the items of rows are explained, and segments are listed for a subject', async (t) => {
  const rpc = createClient(PageService, createAdminTransport(service));
  const rows = [{ listName: 'genres', configurationId: 'any', forEach: 'categories' }];
  const request = { deviceId: fan, pageType: 'home', rows };
  const { page, explanations } = await rpc.createPage({ environment: 'shop', request, explain: true });
  t.is(explanations.length, page!.rows.length);
  t.deepEqual(
    explanations[0].items.map(({ itemId }) => itemId),
    page!.rows[0].list!.items.map(({ itemId }) => itemId),
  );
  const listed = await http.get<{ segments: { value: string }[] }>(
    `/shop/segments?property=categories&device_id=${fan}&limit=2`,
  );
  t.deepEqual(
    listed.body.segments.map(({ value }) => value),
    ['Film/comedy', 'Film/drama'],
  );
});

test('segments like one are those that its visitors also like, over both transports', async (t) => {
  type Segments = { segments: { value: string; gain: number }[] };
  const path = '/shop/segments?property=brand&like=north';
  const { body } = await http.get<Segments>(path);
  t.deepEqual(
    body.segments.map(({ value }) => value),
    ['south'],
  );
  t.true(body.segments[0].gain > 0);
  const rpc = createClient(PageService, createAdminTransport(service));
  const asked = { environment: 'shop', property: 'categories', like: 'Film/comedy' };
  const { segments } = await rpc.listSegments({ ...asked, limit: 1 });
  t.is(segments.length, 1);
  t.not(segments[0].value, 'Film/comedy');
  t.deepEqual((await http.get<Segments>('/shop/segments?property=brand&like=nowhere')).body.segments, []);
  const options = ['--environment', 'shop', '--property', 'brand', '--like', 'north'];
  t.regex((await runAgainst(service, 'segments', ...options)).stdout, /^south +\d\.\d{4}$/m);
});

const faults: [rows: object[], reason: string, pointers: string[]][] = [
  [[source('a', { for_each: 'price' })], 'body_invalid', ['/rows/0/for_each']],
  [[source('a'), source('a')], 'body_invalid', ['/rows/1/list_name']],
  [[source('a', { list_size: 2, limit: 3 })], 'body_invalid', ['/rows/0/limit']],
  [[source('a', { configuration_id: 'none' })], 'configuration_unknown', []],
  [
    Array.from({ length: 6 }, (_, i) =>
      source(`s${i}`, { for_each: 'brand', maximum_rows: 10, list_size: 100 }),
    ),
    'body_invalid',
    ['/rows', '/rows'],
  ],
];

test('a request for too much, or of what does not exist, is refused', async (t) => {
  for (const [rows, reason, pointers] of faults) {
    const answer = await http.post('/shop/pages/requests', { device_id: fan, page_type: 'home', rows });
    t.deepEqual([answer.reason, answer.pointers], [reason, pointers]);
  }
  t.deepEqual((await http.get('/shop/segments?property=price')).pointers, ['query:property']);
});
