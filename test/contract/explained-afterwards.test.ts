/** Explanations of earlier answers: the same as at the time, or marked as different. */

import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { type Client, Code, createClient } from '@connectrpc/connect';
import test from 'ava';
import { RecommendationService } from '../../gen/es/personalisation/v1/recommendation_service_pb.js';
import { runAgainst } from '../cli/support/command.ts';
import { createAdminTransport } from '../support/admin-transport.ts';
import { startSecondNode } from './support/second-node.ts';
import {
  type Document,
  newDevice,
  type Shop,
  type Shops,
  series,
  startShops,
  where,
} from './support/shops.ts';

let shops: Shops;
let rpc: Client<typeof RecommendationService>;

const clientOf = (baseUrl?: string) =>
  createClient(RecommendationService, createAdminTransport(shops.service, baseUrl));

test.before(async () => {
  shops = await startShops(6);
  rpc = clientOf();
});

test.after.always(() => shops?.stop());

const articles: Document[] = ['x', 'y', 'z'].flatMap((brand) =>
  series(brand, 6).map((id) => ({ item_id: id, brand, title: `${brand} things` })),
);

async function stockedShop(): Promise<Shop & { configurationId: string }> {
  const shop = shops.open();
  await shop.stock('article', articles);
  const configurationId = await shop.configure({
    constraints: [{ query: where('brand', 'x'), limit: { max: 2 } }],
    preferences: [{ query: where('brand', 'y'), weight: 2 }],
  });
  return { ...shop, configurationId };
}

const askExplained = (
  { environment, configurationId }: { environment: string; configurationId: string },
  deviceId: string,
) =>
  rpc.createRecommendations({
    environment,
    request: {
      deviceId,
      pageType: 'home',
      lists: ['one', 'two'].map((listName) => ({ configurationId, listName, listSize: 4 })),
    },
    explain: true,
    whyNot: [{ itemId: 'x6' }],
  });

test('a later explanation equals the one given at once, despite changes in between', async (t) => {
  const shop = await stockedShop();
  const deviceId = newDevice();
  await shop.track({ event_type: 'detail_pageview', device_id: deviceId, action_item: 'y1' });
  const isLearnt = ({ explanations }: Awaited<ReturnType<typeof askExplained>>) =>
    explanations.some(({ items }) => items.some(({ parts }) => parts.length > 0));
  const attempt = async () => {
    const answer = await askExplained(shop, deviceId);
    await shop.track({ event_type: 'detail_pageview', device_id: deviceId, action_item: 'z2' });
    await shop.track({ event_type: 'purchase', device_id: newDevice(), action_item: 'z3' });
    const { environment } = shop;
    const { requestId } = answer.recommendations!;
    return {
      answer,
      explained: await rpc.explainRecommendations({ environment, requestId, whyNot: [{ itemId: 'x6' }] }),
    };
  };
  /** Scores still grow while the catalogue's items are first compared. */
  const isSettled = ({ answer, explained }: Awaited<ReturnType<typeof attempt>>) =>
    isLearnt(answer) && isDeepStrictEqual(answer.explanations, explained.explanations);
  let last = await attempt();
  while (!isSettled(last)) {
    await delay(50);
    last = await attempt();
  }
  t.true(last.explained.isExact);
  t.deepEqual(last.explained.outcomes, last.answer.outcomes);
});

test('an answer without an explanation can be explained later', async (t) => {
  const shop = await stockedShop();
  const lists = [{ configuration_id: shop.configurationId, list_name: 'only', list_size: 5 }];
  const { body } = await shop.ask({ lists });
  const { explanations, isExact } = await rpc.explainRecommendations({
    environment: shop.environment,
    requestId: body.request_id,
  });
  t.true(isExact);
  t.deepEqual(
    explanations[0].items.map(({ itemId }) => itemId),
    body.lists[0].items.map(({ item_id: id }) => id),
  );
});

test('an answer of another node is made again, and marked so', async (t) => {
  const shop = await stockedShop();
  const lists = [{ configuration_id: shop.configurationId, list_name: 'only', list_size: 5 }];
  const { body } = await shop.ask({ lists });
  const node = await startSecondNode(shops.service, shops.deployment);
  t.teardown(node.stop);
  const explained = await clientOf(node.grpcUrl).explainRecommendations({
    environment: shop.environment,
    requestId: body.request_id,
    whyNot: [{ itemId: 'nobody knows it' }],
  });
  t.false(explained.isExact);
  t.is(explained.explanations[0].listName, 'only');
  t.is(explained.explanations[0].items.length, 5);
  t.is(explained.explanations[0].whyNot[0].reason, 'unknown');
});

test('an answer of another environment, an unknown one and a missing id are refused', async (t) => {
  const [one, other] = [await stockedShop(), shops.open()];
  const lists = [{ configuration_id: one.configurationId, list_name: 'only', list_size: 5 }];
  const { body } = await one.ask({ lists });
  for (const [environment, requestId, code] of [
    [other.environment, body.request_id, Code.NotFound],
    [one.environment, '6f6d5f0e-3c0e-4d43-9d53-5f2f7f0e9b11', Code.NotFound],
    [one.environment, 'no uuid', Code.NotFound],
    [one.environment, '', Code.InvalidArgument],
  ] as const) {
    const error = await t.throwsAsync(rpc.explainRecommendations({ environment, requestId }));
    t.is((error as { code?: Code }).code, code, requestId);
  }
});

test('the command line explains an answer by its id', async (t) => {
  const shop = await stockedShop();
  const lists = ['first', 'second'].map((list_name) => ({
    configuration_id: shop.configurationId,
    list_name,
    list_size: 3,
  }));
  const { body } = await shop.ask({ lists });
  const asked = ['--environment', shop.environment, '--request-id', body.request_id];
  const { stdout, stderr, exitCode } = await runAgainst(shops.service, 'explain', ...asked);
  t.is(exitCode, 0, stderr);
  for (const list of body.lists) {
    t.true(stdout.includes(list.list_name));
    for (const { item_id: id } of list.items) t.true(stdout.includes(id));
  }
  t.is((await runAgainst(shops.service, 'explain', '--environment', shop.environment)).exitCode, 1);
});
