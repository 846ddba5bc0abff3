/** Every operation of the interface as documented: each response status that it lists, the same over every transport. */

import type { JsonObject } from '@bufbuild/protobuf';
import test from 'ava';
import type { Operation } from './support/operation.ts';
import {
  createAudience,
  createCompletions,
  createConfiguration,
  createEvents,
  createItem,
  createRecommendations,
  createSearch,
  createToken,
  deleteConfiguration,
  deleteItem,
  disableItem,
  enableItem,
  getAudience,
  getCompletions,
  getConfiguration,
  getItem,
  getMetric,
  getRecommendationList,
  getSearchList,
  listConfigurations,
  listMetrics,
  putConfiguration,
  putItem,
} from './support/operations.ts';
import { type Circumstances, type Expected, isAnsweredEverywhere } from './support/same-answer.ts';
import { startTestedService } from './support/tested-service.ts';

const service = await startTestedService();
const { transports, admin } = service;
const onlyHttp = { http: transports.http };

type Row = {
  /** What the interface says beside the status. */
  meaning: string;
  operation: Operation;
  expected: Expected;
  /** The request cannot be spelled as a message. */
  httpOnly?: boolean;
} & Circumstances;

const known = { itemId: 'known' };
const unknown = { itemId: 'unknown' };
const chair = { title: 'Chair', price: 49.5, categories: ['Home/Chairs'] };
const stored: JsonObject = {
  configuration_id: 'stored',
  constraints: [
    { query: { key: 'brand', match: { value: 'Acme' } }, limit: { max: 2 }, _constraint_explanation: 'few' },
    { diversify: { key: 'categories' }, limit: { max: 5 }, _diversify_explanation: 'mixed' },
  ],
  preferences: [
    { query: { key: 'price', lt: [{ value: 100 }] }, weight: 2, _preference_explanation: 'cheap' },
  ],
};
const unsupported = { constraints: [{ query: { key: 'title', regex: '.*' } }] };
const request: JsonObject = {
  device_id: 'd1',
  page_type: 'home',
  lists: [{ configuration_id: 'stored', list_name: 'top', list_size: 2 }],
};
const searching: JsonObject = { q: 'chair', page_type: 'search', device_id: 'd1' };
const audience: JsonObject = {
  audience_name: 'spring',
  audience_size: 10,
  integration_type: 'email',
  promotion: [{ id: 'known', item_type: 'product' }],
};
const view: JsonObject = {
  event_type: 'detail_pageview',
  device_id: 'd1',
  user_id: 'u1',
  page_type: 'detail',
  action_item: 'known',
};
const credentials = {
  grant_type: 'client_credentials',
  client_id: admin.clientId,
  client_secret: admin.clientSecret,
};
const noToken = { authorization: null };
const badToken = { authorization: 'Bearer nonsense' };
const notJson = (operation: Operation): Operation => ({ ...operation, body: '{' });

const unauthenticated = { status: 401, reason: 'unauthenticated' };
const itemUnknown = { status: 404, reason: 'item_unknown' };
const itemTypeUnknown = { status: 404, reason: 'item_type_unknown' };
const configurationUnknown = { status: 404, reason: 'configuration_unknown' };
const listUnknown = { status: 404, reason: 'list_unknown' };
const notImplemented = { status: 501, reason: 'not_implemented' };
const bodyInvalid = (status: number, ...pointers: string[]) => ({ status, reason: 'body_invalid', pointers });
const parameterInvalid = (...pointers: string[]) => ({ status: 400, reason: 'parameter_invalid', pointers });

const endpoints: Record<string, Row[]> = {
  'PUT /{environment}/items/{item_type}/{item_id}': [
    { meaning: 'added', operation: putItem({ itemId: 'put' }, chair), expected: { status: 200, body: {} } },
    { meaning: 'updated', operation: putItem({ itemId: 'put' }, chair), expected: { status: 200, body: {} } },
    { meaning: 'touched', operation: putItem(known), expected: { status: 200, body: {} } },
    { meaning: 'token missing', operation: putItem(known, chair), expected: unauthenticated, ...noToken },
    { meaning: 'token invalid', operation: putItem(known, chair), expected: unauthenticated, ...badToken },
    {
      meaning: 'item type not configured',
      operation: putItem({ itemType: 'film', itemId: 'x' }, chair),
      expected: itemTypeUnknown,
    },
    { meaning: 'item id not yet known', operation: putItem(unknown), expected: itemUnknown },
    {
      meaning: 'body does not match the item specification',
      operation: putItem(known, { price: 'dear', colour: 'red' }),
      expected: bodyInvalid(415, '/price', '/colour'),
    },
    {
      meaning: 'body not JSON',
      operation: notJson(putItem(known)),
      expected: { status: 422, reason: 'body_not_json' },
      httpOnly: true,
    },
  ],
  'POST /{environment}/items/{item_type}': [
    {
      meaning: 'stored',
      operation: createItem({}, { item_id: 'posted', ...chair }),
      expected: { status: 200, body: {} },
    },
    {
      meaning: 'token missing',
      operation: createItem({}, { item_id: 'posted' }),
      expected: unauthenticated,
      ...noToken,
    },
    {
      meaning: 'item type not configured',
      operation: createItem({ itemType: 'film' }, { item_id: 'posted' }),
      expected: itemTypeUnknown,
    },
    { meaning: 'no item_id', operation: createItem({}, chair), expected: bodyInvalid(415, '/item_id') },
    { meaning: 'no body', operation: createItem({}), expected: bodyInvalid(415, '') },
    {
      meaning: 'body not JSON',
      operation: notJson(createItem({})),
      expected: { status: 422, reason: 'body_not_json' },
      httpOnly: true,
    },
  ],
  'DELETE /{environment}/items/{item_type}/{item_id}': [
    {
      meaning: 'item disabled',
      operation: deleteItem({ itemId: 'deleted' }),
      expected: { status: 200, body: {} },
      given: [putItem({ itemId: 'deleted' }, chair)],
    },
    { meaning: 'token missing', operation: deleteItem(known), expected: unauthenticated, ...noToken },
    { meaning: 'item id not yet known', operation: deleteItem(unknown), expected: itemUnknown },
  ],
  'POST /{environment}/items/{item_type}/{item_id}/enable': [
    { meaning: 'enabled', operation: enableItem(known), expected: { status: 200, body: {} } },
    {
      meaning: 'error in request',
      operation: enableItem(unknown),
      expected: { ...itemUnknown, status: 400 },
    },
    {
      meaning: 'item type not configured',
      operation: enableItem({ itemType: 'film', itemId: 'x' }),
      expected: { ...itemUnknown, status: 400 },
    },
  ],
  'POST /{environment}/items/{item_type}/{item_id}/disable': [
    {
      meaning: 'disabled',
      operation: disableItem({ itemId: 'disabled' }),
      expected: { status: 200, body: {} },
      given: [putItem({ itemId: 'disabled' }, chair)],
    },
    {
      meaning: 'error in request',
      operation: disableItem(unknown),
      expected: { ...itemUnknown, status: 400 },
    },
  ],
  'GET /{environment}/items/{item_type}/{item_id}': [
    {
      meaning: 'retrieved',
      operation: getItem(known),
      expected: {
        status: 200,
        body: { ...chair, environment: 'shop', item_type: 'product', item_id: 'known' },
      },
    },
    { meaning: 'token missing', operation: getItem(known), expected: unauthenticated, ...noToken },
    { meaning: 'item id not yet known', operation: getItem(unknown), expected: itemUnknown },
  ],
  'GET /configurations': [
    { meaning: 'token missing', operation: listConfigurations, expected: unauthenticated, ...noToken },
  ],
  'GET /configurations/{configuration_id}': [
    {
      meaning: 'configuration',
      operation: getConfiguration('stored'),
      expected: { status: 200, body: stored },
    },
    { meaning: 'not found', operation: getConfiguration('unknown'), expected: configurationUnknown },
  ],
  'POST /configurations': [
    {
      meaning: 'stored',
      operation: createConfiguration({ ...stored, configuration_id: 'posted' }),
      expected: { status: 200, body: {} },
    },
    {
      meaning: 'missing mandatory information',
      operation: createConfiguration({ constraints: [] }),
      expected: bodyInvalid(400, '/configuration_id'),
    },
    {
      meaning: 'not JSON',
      operation: notJson(createConfiguration({})),
      expected: { status: 415, reason: 'body_not_json' },
      httpOnly: true,
    },
    {
      meaning: 'functionality not supported',
      operation: { ...createConfiguration({}), body: { configuration_id: 'x', ...unsupported } },
      expected: { status: 501, reason: 'operator_unsupported', pointers: ['/constraints/0/query/regex'] },
      httpOnly: true,
    },
  ],
  'PUT /configurations/{configuration_id}': [
    {
      meaning: 'stored',
      operation: putConfiguration('put', { constraints: stored.constraints }),
      expected: { status: 200, body: {} },
    },
    {
      meaning: 'malformed',
      operation: putConfiguration('put', { configuration_id: 'other' }),
      expected: bodyInvalid(400, '/configuration_id'),
    },
    {
      meaning: 'not JSON',
      operation: notJson(putConfiguration('put', {})),
      expected: { status: 415, reason: 'body_not_json' },
      httpOnly: true,
    },
    {
      meaning: 'functionality not supported',
      operation: { ...putConfiguration('put', {}), body: unsupported },
      expected: { status: 501, reason: 'operator_unsupported', pointers: ['/constraints/0/query/regex'] },
      httpOnly: true,
    },
  ],
  'DELETE /configurations/{configuration_id}': [
    {
      meaning: 'deleted',
      operation: deleteConfiguration('deleted'),
      expected: { status: 200, body: {} },
      given: [putConfiguration('deleted', {})],
    },
    { meaning: 'not found', operation: deleteConfiguration('unknown'), expected: configurationUnknown },
  ],
  'POST /{environment}/recommendations/requests': [
    { meaning: 'recommendations', operation: createRecommendations(request), expected: { status: 200 } },
    {
      meaning: 'missing mandatory information',
      operation: createRecommendations({ lists: [{}] }),
      expected: bodyInvalid(
        400,
        '/lists/0/configuration_id',
        '/lists/0/list_name',
        '/lists/0/list_size',
        '/device_id',
        '/page_type',
      ),
    },
    {
      meaning: 'configuration not found',
      operation: createRecommendations({
        ...request,
        lists: [{ configuration_id: 'unknown', list_name: 'top', list_size: 2 }],
      }),
      expected: configurationUnknown,
    },
  ],
  'GET /{environment}/recommendations/lists': [
    {
      meaning: 'list_key never existed',
      operation: getRecommendationList({ list_key: 'nowhere', offset: 1, limit: 2 }),
      expected: listUnknown,
    },
    {
      meaning: 'missing parameters',
      operation: getRecommendationList({}),
      expected: parameterInvalid('query:list_key', 'query:offset', 'query:limit'),
    },
    {
      meaning: 'offset and limit below 1',
      operation: getRecommendationList({ list_key: 'nowhere', offset: 0, limit: -1 }),
      expected: parameterInvalid('query:offset', 'query:limit'),
    },
  ],
  'POST /{environment}/searches/requests': [
    { meaning: 'works later', operation: createSearch(searching), expected: notImplemented },
    {
      meaning: 'missing mandatory information',
      operation: createSearch({}),
      expected: bodyInvalid(400, '/q', '/page_type', '/device_id'),
    },
    {
      meaning: 'undeclared filter and group',
      operation: createSearch({ ...searching, filter_by: { weight: 1 }, group_by: ['weight'] }),
      expected: bodyInvalid(400, '/filter_by/weight', '/group_by/0'),
    },
  ],
  'GET /{environment}/searches/lists': [
    {
      meaning: 'list key not found',
      operation: getSearchList({ list_key: 'nowhere', offset: 1, limit: 2 }),
      expected: listUnknown,
    },
    {
      meaning: 'missing parameters',
      operation: getSearchList({}),
      expected: parameterInvalid('query:list_key', 'query:offset', 'query:limit'),
    },
  ],
  'GET /{environment}/searches/completions': [
    {
      meaning: 'works later',
      operation: getCompletions({ q: 'cha', user_id: 'u', device_id: 'd', request_id: 'r', page_type: 'p' }),
      expected: notImplemented,
    },
    { meaning: 'no q', operation: getCompletions({}), expected: parameterInvalid('query:q') },
  ],
  'POST /{environment}/searches/completions': [
    {
      meaning: 'works later',
      operation: createCompletions({ q: 'cha', user_id: 'u', device_id: 'd', fuzziness: 1 }),
      expected: notImplemented,
    },
    {
      meaning: 'too fuzzy',
      operation: createCompletions({ q: 'cha', fuzziness: 3 }),
      expected: bodyInvalid(400, '/fuzziness'),
    },
  ],
  'POST /{environment}/targeting/audiences/requests': [
    { meaning: 'works later', operation: createAudience({ audience }), expected: notImplemented },
    { meaning: 'no audience', operation: createAudience({}), expected: bodyInvalid(400, '/audience') },
    {
      meaning: 'missing mandatory information',
      operation: createAudience({ audience: {} }),
      expected: bodyInvalid(
        400,
        '/audience/audience_name',
        '/audience/audience_size',
        '/audience/integration_type',
        '/audience/promotion',
      ),
    },
    {
      meaning: 'unknown integration type and item',
      operation: createAudience({
        audience: { ...audience, integration_type: 'pigeon', promotion: [{ id: 'unknown' }] },
      }),
      expected: bodyInvalid(400, '/audience/integration_type', '/audience/promotion/0'),
    },
    {
      meaning: 'not authorised',
      operation: createAudience({ audience }),
      expected: unauthenticated,
      ...noToken,
    },
  ],
  'GET /{environment}/targeting/audiences': [
    {
      meaning: 'never existed',
      operation: getAudience({ audience_id: 'nobody', offset: 1, limit: 5 }),
      expected: { status: 404, reason: 'audience_unknown' },
    },
    {
      meaning: 'no audience_id',
      operation: getAudience({}),
      expected: parameterInvalid('query:audience_id'),
    },
    {
      meaning: 'not authorised',
      operation: getAudience({ audience_id: 'nobody' }),
      expected: unauthenticated,
      ...noToken,
    },
  ],
  'POST /{environment}/events': [
    { meaning: 'accepted', operation: createEvents([view, view]), expected: { status: 200 } },
    {
      meaning: 'missing mandatory information',
      operation: createEvents([view, { event_type: 'detail_pageview', device_id: 'd1' }]),
      expected: bodyInvalid(400, '/events/1/page_type', '/events/1/action_item'),
    },
    { meaning: 'no events', operation: createEvents([]), expected: bodyInvalid(400, '/events') },
    {
      meaning: 'not JSON',
      operation: notJson(createEvents([])),
      expected: { status: 415, reason: 'body_not_json' },
      httpOnly: true,
    },
    { meaning: 'token missing', operation: createEvents([view]), expected: unauthenticated, ...noToken },
  ],
  'GET /metrics': [{ meaning: 'works later', operation: listMetrics, expected: notImplemented }],
  'GET /metrics/{metric}': [
    {
      meaning: 'works later',
      operation: getMetric('clicks', {
        ascending: false,
        environment: 'shop',
        limit: 10,
        orderby: 'value',
        start_time: { gte: '2026-11-20T10:00:00Z', lt: '2026-11-20T12:00:00+01:00' },
      }),
      expected: notImplemented,
    },
    {
      meaning: 'query parameter error',
      operation: getMetric('clicks', { limit: 0, orderby: 'colour' }),
      expected: parameterInvalid('query:limit', 'query:orderby'),
    },
    {
      meaning: 'interval not on the hour',
      operation: getMetric('clicks', { start_time: { gte: '2026-11-20T10:30:00Z', lt: 'yesterday' } }),
      expected: parameterInvalid('query:start_time.gte', 'query:start_time.lt'),
    },
    {
      meaning: 'interval that ends before it starts',
      operation: getMetric('clicks', {
        start_time: { gte: '2026-11-20T12:00:00Z', lt: '2026-11-20T10:00:00Z' },
      }),
      expected: parameterInvalid('query:start_time.gte'),
    },
    {
      meaning: 'metric not found',
      operation: getMetric('happiness'),
      expected: { status: 404, reason: 'metric_unknown' },
    },
  ],
  'POST /oauth/token': [
    { meaning: 'token', operation: createToken(credentials), expected: { status: 200 }, ...noToken },
    {
      meaning: 'another grant type',
      operation: createToken({ ...credentials, grant_type: 'password' }),
      expected: bodyInvalid(400, '/grant_type'),
      ...noToken,
    },
    {
      meaning: 'wrong secret',
      operation: createToken({ ...credentials, client_secret: 'wrong' }),
      expected: { status: 401, reason: 'client_invalid' },
      ...noToken,
    },
  ],
};

test.before('an item and a configuration are stored', async (t) => {
  for (const operation of [putItem(known, chair), createConfiguration(stored)])
    t.is((await transports.http(operation)).status, 200);
});

/** One after the other, for what is compared must not change meanwhile. */
test.serial('GET /configurations: 200 array of ids', async (t) => {
  await isAnsweredEverywhere(t, transports, listConfigurations, { status: 200, body: ['stored'] });
});

for (const [endpoint, rows] of Object.entries(endpoints)) {
  for (const { meaning, operation, expected, httpOnly, given, authorization } of rows) {
    test.serial(`${endpoint}: ${expected.status} ${meaning}`, (t) =>
      isAnsweredEverywhere(t, httpOnly ? onlyHttp : transports, operation, expected, {
        given,
        authorization,
      }),
    );
  }
}

test.serial('POST /{environment}/recommendations/requests: 200 has the documented fields', async (t) => {
  const { outcome } = await transports.http(createRecommendations({ ...request, user_id: 'u1' }));
  const { lists, request_id: requestId, ...rest } = (outcome as { body: JsonObject }).body;
  t.deepEqual(rest, { device_id: 'd1', user_id: 'u1', user_group: 'recommender', version: 'default' });
  t.is(typeof requestId, 'string');
  const [{ list_key: key, items, ...list }] = lists as JsonObject[];
  t.is(typeof key, 'string');
  const { length } = items as unknown[];
  t.true(length >= 1 && length <= 2);
  t.deepEqual(list, { configuration_id: 'stored', list_name: 'top', list_size: length, limit: length });
  (items as JsonObject[]).forEach(({ item_id: itemId, rank }, i) => {
    t.is(typeof itemId, 'string');
    t.is(rank, i + 1);
  });
});

test.serial('GET /{environment}/recommendations/lists: 200 a page of the list', async (t) => {
  const { outcome } = await transports.http(createRecommendations(request));
  const { lists } = (outcome as { body: { lists: { list_key: string }[] } }).body;
  const page = { list_key: lists[0].list_key, offset: 1, limit: 1 };
  await isAnsweredEverywhere(t, transports, getRecommendationList(page), { status: 200 });
  await isAnsweredEverywhere(t, transports, getRecommendationList({ ...page, offset: 500 }), { status: 200 });
});
