/** Answers stay below `limits.answer_bytes`: pages end earlier, lists with long fields are refused. */

import { createClient } from '@connectrpc/connect';
import { createGrpcTransport } from '@connectrpc/connect-node';
import test from 'ava';
import { CatalogueService } from '../../gen/es/personalisation/v1/catalogue_service_pb.js';
import { createJsonClient } from '../support/json-client.ts';
import { testedService } from './support/tested-service.ts';

const answerBytes = 65_536;
const service = testedService(`
limits: { answer_bytes: ${answerBytes} }
environments:
  - name: shop
    item_types: [{ name: product }]
    returned_fields: [title, description]
`);
const http = createJsonClient(service);

/** One item exceeds the limit of an answer. */
const descriptionBytes = [20_000, 20_000, 20_000, 20_000, 100_000, 20_000, 20_000, 1_000, 1_000];
const itemIds = descriptionBytes.map((_, place) => `item-${place}`);
const list = { configuration_id: 'any', list_name: 'l', list_size: descriptionBytes.length };
const asked = { device_id: 'd', page_type: 'home' };

test.before(async (t) => {
  await http.put('/configurations/any', {});
  for (const [place, bytes] of descriptionBytes.entries()) {
    const item = { title: `Lamp ${place}`, description: 'x'.repeat(bytes) };
    const { status } = await http.put(`/shop/items/product/item-${place}`, item);
    t.is(status, 200);
  }
});

type Page = { items: { item_id: string }[]; next_page_token: string };

/** Items and bytes of a page. */
type Sent = { ids: string[]; byteCount: number; next: string };

async function readPages(read: (token: string) => Promise<Sent>): Promise<Sent[]> {
  const pages: Sent[] = [];
  for (let token = ''; ; token = pages.at(-1)!.next) {
    pages.push(await read(token));
    if (pages.at(-1)!.next === '') return pages;
  }
}

const readers: Record<string, (token: string) => Promise<Sent>> = {
  async http(token) {
    const url = `${service.baseUrl}/shop/items?${new URLSearchParams(token && { page_token: token })}`;
    const response = await fetch(url, { headers: { authorization: service.authorization } });
    const text = await response.text();
    const { items, next_page_token: next } = JSON.parse(text) as Page;
    return { ids: items.map(({ item_id: id }) => id), byteCount: Buffer.byteLength(text), next };
  },
  async grpc(pageToken) {
    const transport = createGrpcTransport({ baseUrl: `http://${service.grpcAddress}` });
    const client = createClient(CatalogueService, transport);
    const options = { headers: { authorization: service.authorization } };
    const { items, nextPageToken } = await client.listItems({ environment: 'shop', pageToken }, options);
    const byteCount = items.reduce((sum, { description = '' }) => sum + description.length, 0);
    return { ids: items.map(({ itemId }) => itemId!), byteCount, next: nextPageToken };
  },
};

for (const [name, read] of Object.entries(readers)) {
  test(`${name}: a page of items ends before it is too large, and the next one continues there`, async (t) => {
    const pages = await readPages(read);
    t.deepEqual(
      pages.flatMap(({ ids }) => ids),
      itemIds,
    );
    t.true(pages.length > 1);
    for (const { ids, byteCount } of pages) {
      if (ids.length === 1 && ids[0] === 'item-4') t.true(byteCount > answerBytes);
      else t.true(byteCount <= answerBytes, `${ids}: ${byteCount}`);
    }
  });
}

test('a page with short fields has all items', async (t) => {
  const { body } = await http.get<Page>('/shop/items?fields=title');
  t.is(body.items.length, itemIds.length);
  t.is(body.next_page_token, '');
});

test('other pages end the same way', async (t) => {
  for (let version = 0; version < 6; version++) {
    const match = `${version}${'x'.repeat(200)}`;
    const preferences = Array.from({ length: 80 }, () => ({ query: { key: 'title', match } }));
    const { status, body } = await http.put('/configurations/long', { preferences });
    t.true(status < 300, JSON.stringify(body));
  }
  const url = '/audit?resource=configurations/long';
  const seen: string[] = [];
  let pageCount = 0;
  for (let token = ''; pageCount === 0 || token !== ''; pageCount++) {
    const { body } = await http.get<{ entries: { entry_id: string }[]; next_page_token: string }>(
      url + (token && `&page_token=${encodeURIComponent(token)}`),
    );
    seen.push(...body.entries.map(({ entry_id: id }) => id));
    token = body.next_page_token;
  }
  t.true(pageCount > 1);
  t.is(new Set(seen).size, 6);
  t.is(seen.length, 6);
});

for (const [room, request] of [
  ['recommendations', { ...asked, lists: [list] }],
  ['searches', { ...asked, q: 'lamp', limit: 10 }],
] as const) {
  test(`${room} with too long fields are refused with advice`, async (t) => {
    const ask = (fields: string[]) =>
      http.post<{ detail: string; type: string }>(`/shop/${room}/requests`, { ...request, fields });
    const { status, body } = await ask(['title', 'description']);
    t.is(status, 400);
    t.regex(body.type, /ANSWER_TOO_LARGE$/);
    t.regex(body.detail, /65536 bytes.*fewer fields.*limit/);
    t.is((await ask(['title'])).status, 200);
  });
}

test('an item that is larger than an answer can be read', async (t) => {
  const { status, body } = await http.get<{ description: string }>('/shop/items/product/item-4');
  t.is(status, 200);
  t.is(body.description.length, 100_000);
});
