/** Simulation: the effect of a draft on real requests, without side effects. */

import { Code, type ConnectError, createClient } from '@connectrpc/connect';
import { createGrpcTransport } from '@connectrpc/connect-node';
import test from 'ava';
import { sql } from 'kysely';
import type { SimulateConfigurationResponse } from '../../gen/es/personalisation/v1/configuration_service_pb.js';
import { ConfigurationService } from '../../gen/es/personalisation/v1/configuration_service_pb.js';
import { createRequestRecorder, mostRecordedBytes } from '../../src/events/request-recorder.ts';
import { insertRecordedRequests, listRecordedRequests } from '../../src/repository/kept/recorded-requests.ts';
import { createLogger } from '../../src/servers/telemetry/logger.ts';
import { createTestDatabase } from '../support/database.ts';
import { type Document, type Shop, type Shops, series, startShops } from './support/shops.ts';

let shops: Shops;

test.before(async () => {
  shops = await startShops(8);
});

test.after.always(() => shops?.stop());

const options = () => ({ headers: { authorization: shops.service.authorization } });

const rpc = () =>
  createClient(ConfigurationService, createGrpcTransport({ baseUrl: `http://${shops.service.grpcAddress}` }));

type Match = { not: string } | string;

/** A draft in message form: one constraint on the brand. */
function draftOn(configurationId: string, brand: Match, limit?: { min?: number; max?: number }) {
  const text = (value: string) => ({ kind: { case: 'stringValue' as const, value } });
  const match = typeof brand === 'string' ? { value: text(brand) } : { not: { value: text(brand.not) } };
  return {
    configurationId,
    constraints: [{ rule: { case: 'query' as const, value: { key: 'brand', match } }, limit }],
  };
}

/** Four articles of each of three brands, `x1` … `z4`, and five requests of a list of ten. */
const visitCount = 5;

async function visitedShop(configuration: Document = {}, list: Document = {}) {
  const shop = shops.open();
  const branded = (brand: string) =>
    series(brand, 4).map((id) => ({ item_id: id, brand, title: `Item ${id}` }));
  await shop.stock('article', ['x', 'y', 'z'].flatMap(branded));
  const id = await shop.configure(configuration);
  const lists = [{ configuration_id: id, list_name: 'l', list_size: 10, ...list }];
  for (const person of series('secret', visitCount)) {
    const answer = await shop.ask({ device_id: `${person}-device`, user_id: `${person}-user`, lists });
    if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
  }
  return { shop, id };
}

const simulate = (
  { environment }: Shop,
  draft: ReturnType<typeof draftOn>,
  rest: { requestCount?: number; shareKeys?: string[] } = {},
) => rpc().simulateConfiguration({ environment, draft, shareKeys: ['brand'], ...rest }, options());

const sharesOf = (side: SimulateConfigurationResponse['before']) =>
  Object.fromEntries(side!.shares.map(({ value, share }) => [value, Math.round(share * 1000) / 1000]));

test('a draft that drops a brand is reported with removed and added items', async (t) => {
  const { shop, id } = await visitedShop();
  const report = await simulate(shop, draftOn(id, { not: 'x' }));
  t.like(report, { requestCount: 5, listCount: 5, changedListCount: 5 });
  t.like(report.before, { version: 1, fillRate: 1, failedListCount: 0 });
  t.like(report.after, { version: 0, fillRate: 0.8, failedListCount: 0 });
  t.true(sharesOf(report.before).x > 0);
  t.deepEqual(sharesOf(report.after), { y: 0.5, z: 0.5 });
  t.true(report.itemsOut.length >= 2);
  t.true(report.itemsOut.every(({ itemId, afterCount }) => itemId.startsWith('x') && afterCount === 0));
  t.true(report.itemsOut.every(({ title, itemId }) => title === `Item ${itemId}`));
  t.true(report.itemsIn.every(({ itemId }) => !itemId.startsWith('x')));
  const lost = report.itemsOut.reduce(
    (sum, { beforeCount, afterCount }) => sum + beforeCount - afterCount,
    0,
  );
  const won = report.itemsIn.reduce((sum, { beforeCount, afterCount }) => sum + afterCount - beforeCount, 0);
  t.is(lost - won, 10);
  t.deepEqual(
    report.after!.ages.map(({ value, share }) => [value, share]),
    [['unknown', 1]],
  );
});

test('unmet minimums are counted on each side', async (t) => {
  const { shop, id } = await visitedShop({
    constraints: [{ query: { key: 'brand', match: 'x' }, limit: { min: 5 } }],
  });
  const report = await simulate(shop, draftOn(id, 'y', { min: 7 }));
  t.like(report.before!.unmetQuotas, [{ constraintIndex: 0, listCount: 5, missingCount: 5 }]);
  t.like(report.after!.unmetQuotas, [{ constraintIndex: 0, listCount: 5, missingCount: 15 }]);
});

test('a simulation publishes, stores and caches nothing', async (t) => {
  const { shop, id } = await visitedShop();
  const { kysely } = shops.service.database;
  /** Waits for the given number of requests, which are recorded after their answers. */
  const countKept = async (least: number): Promise<number> => {
    const counting = sql<{
      n: number;
    }>`select count(*)::int as n from lists where environment = ${shop.environment}`;
    const { rows } = await counting.execute(kysely);
    return rows[0].n >= least ? rows[0].n : countKept(least);
  };
  const stored = async () => ({
    list: (await shop.list({ configuration_id: id, list_size: 12 })).sort(),
    versions: (await rpc().listConfigurationVersions({ configurationId: id }, options())).versions.length,
    configuration: (await shop.http.get(`/configurations/${id}`)).body,
  });
  const before = await stored();
  const keptBefore = await countKept(visitCount + 1);
  await simulate(shop, draftOn(id, { not: 'x' }));
  t.deepEqual(await stored(), before);
  t.is(await countKept(keptBefore + 1), keptBefore + 1);
});

test('the report has no ids of subjects', async (t) => {
  const { shop, id } = await visitedShop();
  const report = JSON.stringify(await simulate(shop, draftOn(id, { not: 'x' })));
  t.false(report.includes('secret'));
});

test('the requested number of newest requests is tried', async (t) => {
  const { shop, id } = await visitedShop();
  t.like(await simulate(shop, draftOn(id, 'x'), { requestCount: 2 }), { requestCount: 2, listCount: 2 });
});

test('a new configuration is tried on all lists, a known one on its own', async (t) => {
  const { shop, id } = await visitedShop();
  const other = await shop.configure({});
  const lists = [id, other].map((one) => ({ configuration_id: one, list_name: one, list_size: 2 }));
  await shop.ask({ lists });
  const fresh = await simulate(shop, draftOn('not stored', 'x'));
  t.like(fresh, { before: undefined, requestCount: 6, listCount: 7 });
  t.like(await simulate(shop, draftOn(other, 'x')), { requestCount: 1, listCount: 1 });
});

test('a list without a required variable fails and counts as empty', async (t) => {
  const { shop, id } = await visitedShop();
  const variable = { name: 'wanted' };
  const query = { key: 'brand', match: { variable } };
  const draft = {
    configurationId: id,
    constraints: [{ rule: { case: 'query' as const, value: query }, limit: undefined }],
  };
  const { environment } = shop;
  const { after } = await rpc().simulateConfiguration({ environment, draft }, options());
  t.like(after, { fillRate: 0, failedListCount: 5 });
});

test('without recorded requests the report is empty', async (t) => {
  const shop = shops.open();
  t.like(await simulate(shop, draftOn('draft', 'x')), {
    requestCount: 0,
    listCount: 0,
    itemsIn: [],
    itemsOut: [],
  });
});

const refused: [what: string, request: Document, code: Code][] = [
  ['an unknown environment', { environment: 'nowhere' }, Code.NotFound],
  ['an unknown share key', { shareKeys: ['colour'] }, Code.InvalidArgument],
  ['eleven share keys', { shareKeys: Array(11).fill('brand') }, Code.InvalidArgument],
  ['1,001 requests', { requestCount: 1_001 }, Code.InvalidArgument],
  ['a broken draft', { draft: { configurationId: 'd', constraints: [{}] } }, Code.InvalidArgument],
];

for (const [what, request, code] of refused) {
  test(`${what} is refused`, async (t) => {
    const [environment] = /shop-\d/.exec(shops.deployment)!;
    const asked = { environment, draft: draftOn('draft', 'x'), ...request };
    const error = await t.throwsAsync<ConnectError>(rpc().simulateConfiguration(asked, options()));
    t.is(error.code, code);
  });
}

test('an environment records the latest thousand requests, at most ten a second', async (t) => {
  const db = await createTestDatabase(t);
  const many = Array.from({ length: 1_005 }, (_, i) => ({ environment: 'busy', request: { i } }));
  await insertRecordedRequests(db, [...many, { environment: 'quiet', request: {} }]);
  const recorder = createRequestRecorder({ db, logger: createLogger('silent') });
  let asked = 0;
  for (let i = 0; i < 50; i++) {
    recorder.record('busy', () => {
      asked += 1;
      return { fresh: i };
    });
  }
  await recorder.flush();
  t.is(asked, 10);
  const kept = await listRecordedRequests(db, 'busy', 5_000);
  t.is(kept.length, 1_000);
  t.deepEqual(kept[0], { fresh: 9 });
  t.deepEqual(kept.at(-1), { i: 15 });
  t.is((await listRecordedRequests(db, 'quiet', 10)).length, 1);
});

test('a request far larger than others is not recorded', async (t) => {
  const db = await createTestDatabase(t);
  const recorder = createRequestRecorder({ db, logger: createLogger('silent') });
  recorder.record('shop', () => ({ text: 'x'.repeat(mostRecordedBytes) }));
  recorder.record('shop', () => ({ text: 'short' }));
  await recorder.flush();
  t.deepEqual(await listRecordedRequests(db, 'shop', 10), [{ text: 'short' }]);
});
