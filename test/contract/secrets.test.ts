/** Callers without a token learn nothing about others, even if they know names and identifiers. */

import { Code, ConnectError, createClient } from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-node';
import test, { type ExecutionContext } from 'ava';
import { RecommendationService } from '../../gen/es/personalisation/v1/recommendation_service_pb.js';
import { SearchService } from '../../gen/es/personalisation/v1/search_service_pb.js';
import { createAdminTransport } from '../support/admin-transport.ts';
import { createJsonClient } from '../support/json-client.ts';
import { newDevice, type Shop, type Shops, series, startShops, where } from './support/shops.ts';

let shops: Shops;

test.before(async () => {
  shops = await startShops(4);
});

test.after.always(() => shops?.stop());

/** Connect on the HTTP port, like a browser. */
const strangersTransport = () =>
  createConnectTransport({ baseUrl: new URL(shops.service.baseUrl).origin, httpVersion: '1.1' });
const stranger = () => createClient(RecommendationService, strangersTransport());
const analyst = () => createClient(RecommendationService, createAdminTransport(shops.service));

/** A shop with a visitor `victim` and one viewed item, which is not recommended again. */
async function shopWithVictim(): Promise<{ shop: Shop; userId: string; configurationId: string }> {
  const shop = shops.open();
  const userId = `victim ${newDevice()}`;
  await shop.stock('article', [{ item_id: 'secret', brand: 'rare' }, ...series('plain', 6)]);
  const configurationId = await shop.configure({
    constraints: [{ query: where('brand', 'rare'), limit: { min: 1 } }],
  });
  await shop.track({
    event_type: 'detail_pageview',
    device_id: newDevice(),
    user_id: userId,
    action_item: 'secret',
  });
  return { shop, userId, configurationId };
}

const requestFor = (userId: string, configurationId: string) => ({
  deviceId: newDevice(),
  userId,
  pageType: 'home',
  lists: [{ configurationId, listName: 'l', listSize: 3 }],
});

async function isRefused(t: ExecutionContext, asking: Promise<unknown>): Promise<void> {
  const error = ConnectError.from(await t.throwsAsync(asking));
  t.is(error.code, Code.Unauthenticated);
  t.false(JSON.stringify(error).includes('secret'));
}

test('explanations of lists and results require a token', async (t) => {
  const { shop, userId, configurationId } = await shopWithVictim();
  const { environment } = shop;
  const request = requestFor(userId, configurationId);
  const whyNot = [{ itemId: 'secret' }];
  await isRefused(t, stranger().createRecommendations({ environment, request, explain: true }));
  await isRefused(t, stranger().createRecommendations({ environment, request, whyNot }));
  const { recommendations } = await stranger().createRecommendations({ environment, request });
  const { requestId } = recommendations!;
  await isRefused(t, stranger().explainRecommendations({ environment, requestId }));
  const search = createClient(SearchService, strangersTransport());
  const searched = { q: 'plain', pageType: 'search', deviceId: newDevice(), userId };
  await isRefused(t, search.createSearch({ environment, request: searched, explain: true }));
  await isRefused(t, search.createSearch({ environment, request: searched, whyNot }));
});

test('consumption by a person is revealed only with access to explanations', async (t) => {
  const { shop, userId, configurationId } = await shopWithVictim();
  const { environment } = shop;
  const request = requestFor(userId, configurationId);
  const reasonsTo = async (caller: ReturnType<typeof stranger>) => {
    const { outcomes } = await caller.createRecommendations({ environment, request });
    return outcomes.flatMap(({ unmetMinimums }) => unmetMinimums.map(({ reason }) => reason));
  };
  t.deepEqual(await reasonsTo(analyst()), ['excluded_for_user']);
  t.deepEqual(await reasonsTo(stranger()), ['']);
});

/** Keys that can be derived from an identifier: the same, incremented, and with suffixes. */
function guessesFrom(requestId: string): string[] {
  const start = requestId.slice(0, 28);
  const digits = Number.parseInt(requestId.slice(28), 16);
  const rows = [0, 1, 2, 3].map((step) => start + ((digits + step) % 2 ** 32).toString(16).padStart(8, '0'));
  return rows.flatMap((row) => [row, `${row}.`, `${row}.undefined`, `${row}.${row}`, `.${row}`]);
}

for (const kind of ['recommendations', 'searches'] as const) {
  test(`pages of ${kind} require their key; the request ID is not enough`, async (t) => {
    const { shop, userId, configurationId } = await shopWithVictim();
    const http = createJsonClient({ baseUrl: shops.service.baseUrl, authorization: '' });
    const asked = { device_id: newDevice(), user_id: userId, page_type: 'home' };
    const list = { configuration_id: configurationId, list_name: 'l', list_size: 3 };
    const body = kind === 'searches' ? { ...asked, q: '' } : { ...asked, lists: [list] };
    type Page = { user_id?: string; request_id: string; lists: { list_key: string }[] };
    const path = `/${shop.environment}/${kind}`;
    const ask = async () => (await http.post<Page>(`${path}/requests`, body)).body;
    const read = (key: string) =>
      http.get<Page>(`${path}/lists?list_key=${encodeURIComponent(key)}&offset=1&limit=3`);
    const [mine, other] = [await ask(), await ask()];
    const [row] = mine.lists[0].list_key.split('.');
    const [, foreignSecret] = other.lists[0].list_key.split('.');
    for (const guess of [...guessesFrom(mine.request_id), row, `${row}.${foreignSecret}`])
      t.like(await read(guess), { status: 404, reason: 'list_unknown' }, guess);
    const page = await read(mine.lists[0].list_key);
    t.is(page.status, 200);
    t.is(page.body.user_id, kind === 'searches' ? undefined : userId);
  });
}
