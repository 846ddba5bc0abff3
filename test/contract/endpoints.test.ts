/** Every operation of the interface as documented: each response status that it lists, the same over every transport. */

import type { JsonObject } from '@bufbuild/protobuf';
import test from 'ava';
import { configurationEndpoints } from './endpoints/configurations.ts';
import { intakeEndpoints, tokenEndpoint } from './endpoints/intake.ts';
import { itemEndpoints } from './endpoints/items.ts';
import { chair, known, stored } from './endpoints/row.ts';
import { request, servingEndpoints } from './endpoints/serving.ts';
import { isAnsweredEverywhere } from './support/same-answer.ts';
import {
  createConfiguration,
  createRecommendations,
  getRecommendationList,
  listConfigurations,
  putItem,
} from './support/spelled-operations.ts';
import { testedService } from './support/tested-service.ts';

const service = testedService();

const endpoints = {
  ...itemEndpoints,
  ...configurationEndpoints,
  ...servingEndpoints,
  ...intakeEndpoints,
  ...tokenEndpoint(() => ({ client_id: service.admin.clientId, client_secret: service.admin.clientSecret })),
};

test.before('an item and a configuration are stored', async (t) => {
  for (const operation of [putItem(known, chair), createConfiguration(stored)])
    t.is((await service.transports.http(operation)).status, 200);
});

/** One after the other, because compared state must not change. */
test.serial('GET /configurations: 200 array of ids', async (t) => {
  await isAnsweredEverywhere(t, service.transports, listConfigurations, { status: 200, body: ['stored'] });
});

for (const [endpoint, rows] of Object.entries(endpoints)) {
  for (const { meaning, operation, expected, httpOnly, given, authorization } of rows) {
    test.serial(`${endpoint}: ${expected.status} ${meaning}`, (t) => {
      const { transports } = service;
      const asked = typeof operation === 'function' ? operation() : operation;
      return isAnsweredEverywhere(t, httpOnly ? { http: transports.http } : transports, asked, expected, {
        given,
        authorization,
      });
    });
  }
}

test.serial('POST /{environment}/recommendations/requests: 200 has the documented fields', async (t) => {
  const { outcome } = await service.transports.http(createRecommendations({ ...request, user_id: 'u1' }));
  const { lists, request_id: requestId, ...rest } = (outcome as { body: JsonObject }).body;
  t.deepEqual(rest, { device_id: 'd1', user_id: 'u1', user_group: 'recommender', version: 'default' });
  t.is(typeof requestId, 'string');
  const [{ list_key: key, expires_at: expiry, items, ...list }] = lists as JsonObject[];
  t.is(typeof key, 'string');
  t.true(Date.parse(expiry as string) > Date.now());
  const { length } = items as unknown[];
  t.true(length >= 1 && length <= 2);
  t.deepEqual(list, { configuration_id: 'stored', list_name: 'top', list_size: length, limit: length });
  (items as JsonObject[]).forEach(({ item_id: itemId, rank }, i) => {
    t.is(typeof itemId, 'string');
    t.is(rank, i + 1);
  });
});

test.serial('GET /{environment}/recommendations/lists: 200 a page of the list', async (t) => {
  const { outcome } = await service.transports.http(createRecommendations(request));
  const { lists } = (outcome as { body: { lists: { list_key: string }[] } }).body;
  const page = { list_key: lists[0].list_key, offset: 1, limit: 1 };
  await isAnsweredEverywhere(t, service.transports, getRecommendationList(page), { status: 200 });
  await isAnsweredEverywhere(t, service.transports, getRecommendationList({ ...page, offset: 500 }), {
    status: 200,
  });
});
