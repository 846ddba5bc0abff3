/** Exploration over the interface: settings, pages, explanations, records, and what they tell. */

import { createClient } from '@connectrpc/connect';
import { createGrpcTransport } from '@connectrpc/connect-node';
import test from 'ava';
import { ConfigurationService } from '../../gen/es/personalisation/v1/configuration_service_pb.js';
import { RecommendationService } from '../../gen/es/personalisation/v1/recommendation_service_pb.js';
import { exploredRecord } from '../../src/handlers/recommendations/explored-record.ts';
import { insertRecordedRequests } from '../../src/repository/kept/recorded-requests.ts';
import { runAgainst } from '../cli/support/command.ts';
import { click } from './support/impressions.ts';
import { newDevice, type Shop, type Shops, series, startShops } from './support/shops.ts';

let shops: Shops;

test.before(async () => {
  shops = await startShops(6);
});

test.after.always(() => shops?.stop());

const rpc = <Service extends typeof ConfigurationService | typeof RecommendationService>(service: Service) =>
  createClient(service, createGrpcTransport({ baseUrl: `http://${shops.service.grpcAddress}` }));

const options = () => ({ headers: { authorization: shops.service.authorization } });

for (const [exploration, pointer] of [
  [{ share: 0.1, slots: [] }, '/exploration/slots'],
  [{ share: 0.1, slots: [3, 2] }, '/exploration/slots'],
  [{ share: 0.1, slots: [1, 2, 3], of: 3 }, '/exploration/of'],
  [{ share: 0, slots: [1] }, '/exploration/share'],
  [{ share: 0.1, slots: [0] }, '/exploration/slots/0'],
] as const)
  test(`${JSON.stringify(exploration)} is refused`, async (t) => {
    const { http } = shops.openNamed('shop-0');
    const answer = await http.put('/configurations/refused', { constraints: [], exploration });
    t.is(answer.status, 400);
    t.true(JSON.stringify(answer.body).includes(`"${pointer}"`), JSON.stringify(answer.body));
  });

const ask = ({ environment }: Shop, configurationId: string, listSize: number, deviceId = newDevice()) =>
  rpc(RecommendationService).createRecommendations(
    {
      environment,
      request: { deviceId, pageType: 'home', lists: [{ configurationId, listName: 'l', listSize }] },
      explain: true,
    },
    options(),
  );

type Answer = Awaited<ReturnType<typeof ask>>;

/** The record of an answer, as the recorder would store it. */
function recordOf({ recommendations, explanations, outcomes }: Answer, atMs: number) {
  const { requestId, version, deviceId, lists } = recommendations!;
  const drawn = explanations[0].items.flatMap(({ rank, itemId, itemType, propensity }) =>
    propensity === undefined ? [] : [{ rank, itemId, itemType, propensity, composed: { itemId, itemType } }],
  );
  const { configurationVersion } = outcomes[0];
  const list = { ...lists[0], configurationVersion, explored: { drawCount: 64, slots: drawn } };
  return exploredRecord(
    { requestId, version, deviceId, userGroup: '', lists: [list] } as unknown as Parameters<
      typeof exploredRecord
    >[0],
    atMs,
  )!;
}

test('drawn items are explained, pages continue the list, and the record is small', async (t) => {
  const shop = shops.open();
  await shop.stock('article', series('article-', 60));
  const id = await shop.configure({ exploration: { share: 1, slots: [3, 4, 5, 6] } });
  const answer = await ask(shop, id, 20);
  const [{ listKey, items }] = answer.recommendations!.lists;
  const explained = answer.explanations[0].items;
  t.deepEqual(
    explained.flatMap(({ rank, explored }) => (explored ? [rank] : [])),
    [3, 4, 5, 6],
  );
  t.true(explained.every(({ explored, propensity }) => (propensity === undefined) !== explored));
  const page = await shop.page(listKey, 1, 20);
  t.deepEqual(
    page.body.lists[0].items.map(({ item_id }) => item_id),
    items.map(({ itemId }) => itemId),
  );
  const recorded = () =>
    shops.service.database.kysely
      .selectFrom('recorded_requests')
      .select(['request', 'explored'])
      .where('environment', '=', shop.environment)
      .executeTakeFirst();
  let row = await recorded();
  while (!row) row = await recorded();
  const explored = row.explored as ReturnType<typeof recordOf>;
  t.like(explored, { requestId: answer.recommendations!.requestId, version: 'default' });
  const [{ drawn }] = explored.lists;
  for (const [rank, propensity] of drawn)
    t.true(Math.abs(propensity - explained[rank - 1].propensity!) < 1e-4);
  const size = JSON.stringify(drawn.map(([, propensity]) => propensity)).length;
  const listSize = JSON.stringify(row).length;
  t.true(size <= 0.05 * listSize, `${size} of ${listSize} bytes`);
  t.log(`${size} of ${listSize} bytes`);
});

/** A shop whose visitors click every good item and no other, and its explored requests. */
async function clickedShop(requestCount: number) {
  const shop = shops.open();
  const branded = (brand: string) => series(brand, 5).map((id) => ({ item_id: id, brand }));
  await shop.stock('article', ['bad', 'good'].flatMap(branded));
  const exploration = { share: 1, slots: [2, 3, 4, 5], of: 10, temperature: 5 };
  const id = await shop.configure({ exploration });
  const answers: Answer[] = [];
  for (let i = 0; i < requestCount; i++) answers.push(await ask(shop, id, 5));
  const atMs = Date.now();
  await insertRecordedRequests(
    shops.service.database,
    answers.map((answer) => ({
      environment: shop.environment,
      request: {
        device_id: answer.recommendations!.deviceId,
        page_type: 'home',
        lists: [{ configuration_id: id, list_name: 'l', list_size: 5 }],
      },
      explored: recordOf(answer, atMs),
    })),
  );
  const clicks = answers.flatMap(({ recommendations }) => {
    const { requestId, deviceId, lists } = recommendations!;
    return lists[0].items
      .filter(({ itemId }) => itemId.startsWith('good'))
      .map(({ itemId }) => click(itemId, { request_id: requestId, device_id: deviceId, page_type: 'home' }));
  });
  for (let start = 0; start < clicks.length; start += 500) {
    const { status, body } = await shop.http.post(`/${shop.environment}/events`, {
      events: clicks.slice(start, start + 500),
    });
    if (status !== 200) throw new Error(JSON.stringify(body));
  }
  return { shop, id };
}

const goodOnly = (configurationId: string) => ({
  configurationId,
  constraints: [
    {
      rule: {
        case: 'query' as const,
        value: {
          key: 'brand',
          match: { value: { kind: { case: 'stringValue' as const, value: 'good' } } },
        },
      },
    },
  ],
});

test('a draft is estimated from explored lists beside the version in force, and with a simulation', async (t) => {
  const { shop, id } = await clickedShop(400);
  const { environment } = shop;
  const answer = await rpc(ConfigurationService).evaluatePolicy(
    { environment, configurationId: id, draft: goodOnly(id), againstVersion: 1, metric: 'clicks' },
    options(),
  );
  t.is(answer.refusal, '', JSON.stringify(answer.policy));
  t.true(answer.listCount >= 400 && answer.decisionCount === 4 * answer.listCount);
  const [policy, against] = [answer.policy!, answer.against!];
  t.true(policy.effectiveSampleSize > 100 && policy.effectiveSampleSize < against.effectiveSampleSize);
  const dr = (side: typeof policy) => side.estimates.find(({ name }) => name === 'dr')!;
  /** The draft earns a click a position. An interval of 95 % may miss it; its standard error is .01. */
  t.true(Math.abs(dr(policy).value - 1) < 0.1 && dr(policy).low > 0.8, JSON.stringify(policy));
  t.true(Math.abs(dr(against).value - answer.loggedValue) < 0.08, JSON.stringify(answer.against));
  t.deepEqual(
    answer.positions.map(({ rank }) => rank),
    [2, 3, 4, 5],
  );
  const { estimate } = await rpc(ConfigurationService).simulateConfiguration(
    { environment, draft: goodOnly(id) },
    options(),
  );
  t.true(dr(estimate!.policy!).low > dr(estimate!.against!).high);
  const compared = ['--configuration', `${id}@1`, '--against', `${id}@1`, '--environment', environment];
  const { stdout, stderr } = await runAgainst(shops.service, 'evaluate', 'policy', ...compared);
  t.regex(stdout, /^\d+ explored positions of \d+ lists; clicks of a position as served: 0\.\d+\n/, stderr);
  t.regex(stdout, /^version 1 +dr +0\.\d+ +0\.\d+ … 0\.\d+ +0\.\d+ … 0\.\d+ +\d+$/m);
  const none = { environment, configurationId: id, metric: 'revenue' };
  const unsold = await rpc(ConfigurationService).evaluatePolicy(none, options());
  t.is(dr(unsold.policy!).value, 0);
});

test('too few explored lists are refused with advice, over HTTP, too', async (t) => {
  const { shop, id } = await clickedShop(12);
  const evaluate = (rest: object) =>
    shop.http.post<{ refusal: string; policy: { estimates?: unknown[] } }>(
      `/${shop.environment}/policy-evaluations`,
      { configuration_id: id, metric: 'clicks', ...rest },
    );
  const { status, body } = await evaluate({ draft: { constraints: [], configuration_id: id } });
  t.is(status, 200, JSON.stringify(body));
  t.regex(body.refusal, /effective sample is .* 100 are needed\. .* lists would suffice: \d+ more days at /);
  t.deepEqual(body.policy.estimates ?? [], []);
  t.is((await evaluate({ version: 9 })).status, 404);
  t.is((await evaluate({ from: 'yesterday' })).status, 400);
  const before = await evaluate({ to: '2020-01-01T00:00:00Z' });
  t.regex(before.body.refusal, /^No explored list is recorded/);
});
