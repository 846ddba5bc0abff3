/** Audiences through the API: members, exclusions, order and storage. */

import { createClient } from '@connectrpc/connect';
import { createGrpcTransport } from '@connectrpc/connect-node';
import test, { type ExecutionContext } from 'ava';
import { AudienceService } from '../../gen/es/personalisation/v1/audience_service_pb.js';
import {
  type Document,
  newDevice,
  type Shop,
  type Shops,
  series,
  startShops,
  where,
} from './support/shops.ts';

const robot = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';

const mail = `
    integration_types: [email, push]`;
const careful = `
    integration_types: [email]
    audiences: { exclude_bought: true, exclude_mailed_within_days: 7, hold_out_share: 0.5 }`;

type User = { id: string; user_type: string };
type Audience = {
  audience_id: string;
  audience_name: string;
  audience_size: number;
  integration_type: string;
  limit: number;
  users: User[];
};

let shops: Shops;

test.before(async () => {
  shops = await startShops(23, { mail, careful });
});

test.after.always(() => shops?.stop());

const rpc = () =>
  createClient(AudienceService, createGrpcTransport({ baseUrl: `http://${shops.service.grpcAddress}` }));
const options = () => ({ headers: { authorization: shops.service.authorization } });

const requestOf = (rest: Document = {}): Document => ({
  audience_name: 'spring',
  audience_size: 100,
  integration_type: 'email',
  promotion: [{ id: 'p1', item_type: 'product' }],
  ...rest,
});

const post = (shop: Shop, rest: Document = {}) =>
  shop.http.post<{ audience: Audience }>(`/${shop.environment}/targeting/audiences/requests`, {
    audience: requestOf(rest),
  });

const target = async (shop: Shop, rest: Document = {}): Promise<Audience> => {
  const { status, body } = await post(shop, rest);
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body.audience;
};

const idsOf = ({ users }: Audience): string[] => users.map(({ id }) => id);
const sorted = (ids: string[]): string[] => ids.toSorted();

const view = (itemId: string, rest: Document): Document => ({
  event_type: 'detail_pageview',
  action_item: itemId,
  action_item_type: 'product',
  ...rest,
});
const purchase = (itemId: string, rest: Document): Document => ({
  ...view(itemId, rest),
  event_type: 'purchase',
});
const mailing = (rest: Document): Document => ({
  event_type: 'batch_open',
  page_type: 'mail',
  campaign_id: 'c1',
  ...rest,
});

/** A shop with products `p1` … `p4`. */
const products = async (shop = shops.open()): Promise<Shop> => {
  await shop.stock('product', series('p', 4));
  return shop;
};

/** Users `u1` … `uN`, who each looked at p1. */
const visited = async (count: number, shop?: Shop): Promise<Shop> => {
  const opened = await products(shop);
  for (const user of series('u', count)) await opened.track(view('p1', { user_id: user }));
  return opened;
};

test('users with views of the promoted item come before those with other views, each once', async (t) => {
  const shop = await products();
  await shop.track(view('p2', { user_id: 'other' }));
  await shop.track(view('p1', { user_id: 'fan' }));
  await shop.track(view('p1', { user_id: 'fan' }));
  const audience = await target(shop);
  t.like(audience, { audience_name: 'spring', audience_size: 2, integration_type: 'email', limit: 2 });
  t.deepEqual(audience.users, [
    { id: 'fan', user_type: 'user_id' },
    { id: 'other', user_type: 'user_id' },
  ]);
});

test('a dislike is no interest, and outweighs a view', async (t) => {
  const shop = await products();
  const interact = (interaction_type: string, user_id: string, more: Document = {}) =>
    shop.track({ ...view('p1', { user_id }), event_type: 'item_interaction', interaction_type, ...more });
  await interact('like', 'fan');
  await interact('Thumbs-Down', 'critic');
  await interact('rate', 'rater', { rating: 1 });
  await shop.track(view('p1', { user_id: 'regretful' }));
  await interact('hide', 'regretful');
  t.deepEqual(idsOf(await target(shop)), ['fan']);
});

test('a device is attributed to its user, or counts itself while the user is unknown', async (t) => {
  const shop = await products();
  const [shared, lone] = [newDevice(), newDevice()];
  await shop.track(view('p1', { device_id: shared }));
  await shop.track(view('p1', { device_id: lone }));
  t.deepEqual(sorted(idsOf(await target(shop))), sorted([shared, lone]));
  await shop.track(view('p2', { device_id: shared, user_id: 'ann' }));
  const { users } = await target(shop);
  t.deepEqual(
    users.toSorted((a, b) => a.user_type.localeCompare(b.user_type)),
    [
      { id: lone, user_type: 'device_id' },
      { id: 'ann', user_type: 'user_id' },
    ],
  );
});

test('audience_size bounds the stored users and limit the returned ones', async (t) => {
  const shop = await visited(5);
  t.like(await target(shop, { audience_size: 3 }), { audience_size: 3, limit: 3 });
  const limited = await target(shop, { audience_size: 4, limit: 1 });
  t.like(limited, { audience_size: 4, limit: 1 });
  t.is(limited.users.length, 1);
  t.deepEqual((await target(shop, { limit: 0 })).users, []);
});

test('an audience is empty without events', async (t) => {
  const shop = await products();
  await shop.track({ event_type: 'page_visit', page_type: 'home', user_id: 'passer-by' });
  t.like(await target(shop), { audience_size: 0, limit: 0, users: [] });
});

test('the anonymous device and robots never appear', async (t) => {
  const shop = await visited(1);
  await shop.track(view('p1', { device_id: 'anonymous' }));
  const { status } = await shop.http.post(
    `/${shop.environment}/events`,
    { events: [view('p1', { user_id: 'crawler', page_type: 'detail' })] },
    { 'user-agent': robot },
  );
  t.is(status, 200);
  t.deepEqual(idsOf(await target(shop)), ['u1']);
});

test('an opt-out excludes a user until it is withdrawn', async (t) => {
  const shop = await visited(4, shops.openNamed('mail'));
  await shop.track({ event_type: 'cancel_subscription', user_id: 'u1' });
  await shop.track({
    event_type: 'user_interaction',
    interaction_type: 'unsubscribe',
    user_id: 'u2',
    channel: 'email',
  });
  await shop.track({ event_type: 'cancel_subscription', user_id: 'u3', integration_type: 'push' });
  t.deepEqual(sorted(idsOf(await target(shop))), ['u3', 'u4']);
  t.deepEqual(sorted(idsOf(await target(shop, { integration_type: 'push' }))), ['u2', 'u4']);
  await shop.track({ event_type: 'start_subscription', user_id: 'u1' });
  t.deepEqual(sorted(idsOf(await target(shop))), ['u1', 'u3', 'u4']);
});

test('an opt-out of a device applies to its user', async (t) => {
  const shop = await visited(2);
  const device = newDevice();
  await shop.track(view('p2', { user_id: 'u1', device_id: device }));
  await shop.track({ event_type: 'cancel_subscription', device_id: device });
  t.deepEqual(idsOf(await target(shop)), ['u2']);
});

test('buyers are excluded on request, at once', async (t) => {
  const shop = await visited(2);
  await shop.track(purchase('p1', { user_id: 'u1' }));
  t.deepEqual(sorted(idsOf(await target(shop))), ['u1', 'u2']);
  t.deepEqual(idsOf(await target(shop, { exclude_bought: true })), ['u2']);
});

test('recently mailed users are excluded on request, for all mailings or for some', async (t) => {
  const shop = await visited(4);
  const longAgo = Math.floor(Date.now() / 1000) - 10 * 86_400;
  await shop.track(mailing({ user_id: 'u1' }));
  await shop.track(mailing({ user_id: 'u2', campaign_id: 'c2', audience_name: 'winter' }));
  await shop.track(mailing({ user_id: 'u3', timestamp: longAgo }));
  const of = async (rest: Document) => sorted(idsOf(await target(shop, rest)));
  t.deepEqual(await of({ exclude_mailed_within_days: 7 }), ['u3', 'u4']);
  t.deepEqual(await of({ exclude_mailed_within_days: 30 }), ['u4']);
  t.deepEqual(await of({ exclude_mailed_within_days: 7, mailings: ['winter'] }), ['u1', 'u3', 'u4']);
  t.deepEqual(await of({ exclude_mailed_within_days: 0 }), ['u1', 'u2', 'u3', 'u4']);
});

test('the same share is held out every time, and can be exported', async (t) => {
  const shop = await visited(40);
  const held = { hold_out_share: 0.5 };
  const [first, second] = [await target(shop, held), await target(shop, held)];
  t.deepEqual(idsOf(first), idsOf(second));
  t.true(first.audience_size > 5 && first.audience_size < 35);
  const users = await exported(shop, first.audience_id, true);
  t.is(users.length, 40 - first.audience_size);
  t.deepEqual(sorted([...users, ...idsOf(first)]), sorted(series('u', 40)));
  t.notDeepEqual(idsOf(await target(shop, { ...held, audience_name: 'autumn' })), idsOf(first));
});

test('the deployment file sets the defaults of requests', async (t) => {
  const shop = await visited(40, shops.openNamed('careful'));
  await shop.track(purchase('p1', { user_id: 'u1' }));
  await shop.track(mailing({ user_id: 'u2' }));
  const whole = { hold_out_share: 0 };
  t.deepEqual(sorted(idsOf(await target(shop, whole))), sorted(series('u', 40).slice(2)));
  t.true((await target(shop)).audience_size < 38);
  const everybody = { ...whole, exclude_bought: false, exclude_mailed_within_days: 0 };
  t.is((await target(shop, everybody)).audience_size, 40);
});

test('a configuration restricts users by the items of their events', async (t) => {
  const shop = shops.open();
  await shop.stock('product', [
    { item_id: 'p1', brand: 'Acme' },
    { item_id: 'p2', brand: 'Acme' },
    { item_id: 'p3', brand: 'Umbra' },
  ]);
  await shop.track(view('p1', { user_id: 'one' }));
  for (const item of ['p1', 'p2']) await shop.track(view(item, { user_id: 'two' }));
  await shop.track(view('p3', { user_id: 'idle' }));
  const met = async (limit?: Document, rest: Document = {}) => {
    const query = { key: 'brand', match: { variable: { name: 'wanted', default: 'Acme' } } };
    const configurationId = await shop.configure({ constraints: [{ query, ...(limit && { limit }) }] });
    return sorted(idsOf(await target(shop, { configuration_id: configurationId, ...rest })));
  };
  t.deepEqual(await met(), ['one', 'two']);
  t.deepEqual(await met({ min: 2 }), ['two']);
  t.deepEqual(await met({ max: 1 }), ['idle', 'one']);
  t.deepEqual(await met(undefined, { wanted: 'Umbra' }), ['idle']);
});

test('an audience is returned again by its id, and read page by page', async (t) => {
  const shop = await visited(7);
  const audience = await target(shop, { limit: 2 });
  const again = await target(shop, { audience_id: audience.audience_id, audience_name: 'other' });
  t.like(again, { audience_id: audience.audience_id, audience_name: 'spring', audience_size: 7, limit: 7 });
  t.deepEqual(idsOf(again).slice(0, 2), idsOf(audience));
  await shop.track(view('p1', { user_id: 'late' }));
  const pages: string[] = [];
  for (const offset of [1, 4, 7, 10])
    pages.push(...idsOf(await page(shop, audience.audience_id, { offset, limit: 3 })));
  t.deepEqual(pages, idsOf(again));
  t.like(await page(shop, audience.audience_id, { offset: 100 }), { audience_size: 7, limit: 0, users: [] });
  t.is((await page(shop, audience.audience_id)).limit, 7);
});

test('the audiences of an environment are listed, newest first, with their requests', async (t) => {
  const shop = await visited(3);
  const first = await target(shop, { hold_out_share: 0 });
  const asked = { audience_name: 'autumn', exclude_mailed_within_days: 7, mailings: ['winter'] };
  const query = { key: 'item_id', match: { variable: { name: 'wanted' } } };
  const configurationId = await shop.configure({ constraints: [{ query }] });
  const restricted = { configuration_id: configurationId, wanted: 'p1' };
  const second = await target(shop, { ...asked, ...restricted, exclude_bought: true });
  const { environment } = shop;
  const page = await rpc().listAudiences({ environment, pageSize: 1 }, options());
  t.like(page.audiences, [{ audienceId: second.audience_id, audienceSize: second.audience_size, users: [] }]);
  t.like(page.audiences[0].request, {
    audienceName: 'autumn',
    audienceSize: 100,
    excludeBought: true,
    excludeMailedWithinDays: 7,
    mailings: ['winter'],
    promotion: [{ id: 'p1', itemType: 'product' }],
    configurationId,
    variables: { wanted: 'p1' },
  });
  const pageToken = page.nextPageToken;
  const rest = await rpc().listAudiences({ environment, pageSize: 1, pageToken }, options());
  t.like(rest.audiences, [{ audienceId: first.audience_id, request: { configurationId: undefined } }]);
  t.is(rest.nextPageToken, '');
});

test('an audience belongs to its environment', async (t) => {
  const [shop, other] = [await visited(1), shops.open()];
  const { audience_id: id } = await target(shop);
  const { status } = await other.http.get(`/${other.environment}/targeting/audiences?audience_id=${id}`);
  t.is(status, 404);
});

test('an explanation adds up to the score and gives the reason for an exclusion', async (t) => {
  const shop = await visited(2);
  await shop.track(view('p2', { user_id: 'u1' }));
  await shop.track(purchase('p1', { user_id: 'u2' }));
  const { environment } = shop;
  const audience = {
    audienceName: 'spring',
    audienceSize: 10,
    integrationType: 'email',
    promotion: [{ id: 'p1' }],
    excludeBought: true,
  };
  const why = async (id: string) => {
    const answer = await rpc().explainAudienceUser({ environment, audience, id }, options());
    return answer.explanation!;
  };
  const first = await why('u1');
  t.like(first, { excluded: '', rank: 1 });
  t.deepEqual(sorted(first.parts.map(({ itemId }) => itemId)), ['p1', 'p2']);
  closeTo(t, first.score, sum(first.parts.map(({ score }) => score)));
  for (const part of first.parts)
    closeTo(t, part.score, part.own + part.coVisits + part.content + part.activity);
  const score = await sameBeforeAndAfter(
    async () => (await why('u1')).score,
    async () => (await rpc().createAudience({ environment, audience }, options())).audience!.users[0].score,
  );
  closeTo(t, score.between, score.around);
  t.like(await why('u2'), { excluded: 'bought', rank: 0 });
  t.like(await why('stranger'), { excluded: 'unknown', rank: 0, parts: [] });
});

test('a device is explained as its user, held out or not', async (t) => {
  const shop = await products();
  const { environment } = shop;
  const audience = {
    audienceName: 'spring',
    audienceSize: 100,
    integrationType: 'email',
    promotion: [{ id: 'p1' }],
    holdOutShare: 0.5,
  };
  const why = async (id: string, userType: string) =>
    (await rpc().explainAudienceUser({ environment, audience, id, userType }, options())).explanation!
      .excluded;
  const numbers = series('', 16);
  for (const n of numbers) await shop.track(view('p1', { user_id: `u${n}`, device_id: `d${n}` }));
  const ofUsers = await Promise.all(numbers.map((n) => why(`u${n}`, 'user_id')));
  t.deepEqual([...new Set(ofUsers)].toSorted(), ['', 'held_out']);
  t.deepEqual(await Promise.all(numbers.map((n) => why(`d${n}`, 'device_id'))), ofUsers);
});

test('an explanation gives the place in the audience before the hold-out', async (t) => {
  const shop = await products();
  const { environment } = shop;
  for (const [place, user] of series('u', 16).entries())
    for (let count = 0; count < 17 - place; count++) await shop.track(view('p1', { user_id: user }));
  const audience = {
    audienceName: 'spring',
    audienceSize: 100,
    integrationType: 'email',
    promotion: [{ id: 'p1' }],
    holdOutShare: 0.5,
  };
  const rankOf = async (id: string) =>
    (await rpc().explainAudienceUser({ environment, audience, id }, options())).explanation!.rank;
  const made = await rpc().createAudience({ environment, audience }, options());
  const members = made.audience!.users.map(({ id }) => id);
  t.true(members.length > 0 && members.length < 16);
  for (const user of series('u', 16)) t.is(await rankOf(user), 1 + members.indexOf(user), user);
});

const refused: [string, Document, string[]][] = [
  ['an unknown item', { promotion: [{ id: 'p1' }, { id: 'nothing' }] }, ['/audience/promotion/1']],
  ['an item of another type', { promotion: [{ id: 'p1', item_type: 'toy' }] }, ['/audience/promotion/0']],
  ['no items', { promotion: [] }, ['/audience/promotion']],
  ['a size of zero', { audience_size: 0 }, ['/audience/audience_size']],
  ['a size below the smallest', { audience_size: -5 }, ['/audience/audience_size']],
  ['a size that is no number', { audience_size: 'many' }, ['/audience/audience_size']],
  ['a limit above the size', { audience_size: 2, limit: 3 }, ['/audience/limit']],
  ['a limit below zero', { limit: -1 }, ['/audience/limit']],
  ['a share above 0.9', { hold_out_share: 1 }, ['/audience/hold_out_share']],
  ['a share below 0', { hold_out_share: -0.1 }, ['/audience/hold_out_share']],
  ['days below 0', { exclude_mailed_within_days: -1 }, ['/audience/exclude_mailed_within_days']],
  ['an unknown audience', { audience_id: 'never-made' }, ['/audience/audience_id']],
  ['an unknown configuration', { configuration_id: 'never-stored' }, ['/audience/configuration_id']],
];

for (const [what, rest, pointers] of refused) {
  test(`400 for ${what}`, async (t) => {
    const { status, body } = await post(await sharedShop(), rest);
    t.is(status, 400);
    t.deepEqual(
      (body as unknown as { errors: { pointer: string }[] }).errors.map(({ pointer }) => pointer),
      pointers,
    );
  });
}

test('400 for an undeclared integration type', async (t) => {
  const shop = await products(shops.openNamed('careful'));
  t.is((await post(shop, { integration_type: 'pigeon' })).status, 400);
  t.is((await post(await sharedShop(), { integration_type: 'pigeon' })).status, 200);
});

test('400 for a missing variable', async (t) => {
  const shop = await sharedShop();
  const query = { key: 'brand', match: { variable: { name: 'wanted' } } };
  const configurationId = await shop.configure({ constraints: [{ query }] });
  t.is((await post(shop, { configuration_id: configurationId })).status, 400);
  const plain = await shop.configure({ constraints: [{ query: where('brand', 'Acme') }] });
  t.is((await post(shop, { configuration_id: plain })).status, 200);
});

let shared: Promise<Shop> | undefined;

/** For calls without relevant side effects. */
function sharedShop(): Promise<Shop> {
  shared ??= products();
  return shared;
}

async function page(shop: Shop, audienceId: string, range: Record<string, number> = {}): Promise<Audience> {
  const query = new URLSearchParams({ audience_id: audienceId });
  for (const [name, value] of Object.entries(range)) query.set(name, String(value));
  const path = `/${shop.environment}/targeting/audiences?${query}`;
  return (await shop.http.get<{ audience: Audience }>(path)).body.audience;
}

async function exported(shop: Shop, audienceId: string, heldOut: boolean): Promise<string[]> {
  const ids: string[] = [];
  const request = { environment: shop.environment, audienceId, heldOut };
  for await (const { users } of rpc().exportAudience(request, options())) {
    ids.push(...users.map(({ id }) => id));
  }
  return ids;
}

/** Repeats until two reads agree, because a training in between changes them. */
async function sameBeforeAndAfter(read: () => Promise<number>, act: () => Promise<number>) {
  let around = await read();
  while (true) {
    const between = await act();
    const after = await read();
    if (after === around) return { around, between };
    around = after;
  }
}

const sum = (numbers: number[]): number => numbers.reduce((total, number) => total + number, 0);

/** Sums of float32 values in different orders. */
function closeTo(t: ExecutionContext, actual: number, expected: number): void {
  t.true(Math.abs(actual - expected) <= 1e-4 * Math.max(1, Math.abs(expected)), `${actual}, not ${expected}`);
}

test('the settings include the default exclusions of an environment', async (t) => {
  const shop = shops.openNamed('careful');
  type Told = { name: string; audience_defaults: Document };
  const { body } = await shop.http.get<{ environments: Told[] }>('/environments');
  t.deepEqual(body.environments.find(({ name }) => name === shop.environment)?.audience_defaults, {
    exclude_bought: true,
    exclude_mailed_within_days: 7,
    hold_out_share: 0.5,
    configuration_id: '',
  });
});
