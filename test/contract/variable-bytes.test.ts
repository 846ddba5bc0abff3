/** The limit on bytes of variables, on every transport and for every request with variables. */

import type { JsonObject } from '@bufbuild/protobuf';
import test from 'ava';
import { createJsonClient } from '../support/json-client.ts';
import { shopDeployment } from '../support/service.ts';
import type { Operation, Transport } from './support/operation.ts';
import { testedService } from './support/tested-service.ts';

const mostBytes = 2_048;

const service = testedService(`limits: { variable_bytes: ${mostBytes} }\n${shopDeployment}`);

/** A variable of the given number of bytes as JSON, including its name. */
const variableOf = (bytes: number) => ({ wanted: 'é'.repeat((bytes - '{"wanted":""}'.length) / 2) });

type Given = { ofRequest?: JsonObject; ofList?: JsonObject };

/** The request's JSON, and its message. */
function spelled(common: JsonObject, { ofRequest = {}, ofList = {} }: Given) {
  const list = { configuration_id: 'home', list_name: 'a', list_size: 1 };
  const other = { ...list, list_name: 'b' };
  return {
    body: { ...common, ...ofRequest, lists: [list, { ...other, ...ofList }] },
    message: { ...common, variables: ofRequest, lists: [list, { ...other, variables: ofList }] },
  };
}

const visitor = { device_id: 'd', page_type: 'home' };

const withLists: Record<string, (given: Given) => Operation> = {
  'RecommendationService/CreateRecommendations': (given) => {
    const { body, message } = spelled(visitor, given);
    const path = '/shop/recommendations/requests';
    return { rpc: '', method: 'POST', path, body, message: { environment: 'shop', request: message } };
  },
  'PreviewService/PreviewRecommendations': (given) => {
    const { body, message } = spelled(visitor, given);
    return { rpc: '', method: 'POST', path: '', body, message: { environment: 'shop', request: message } };
  },
  'BatchService/CreateBatch': (given) => {
    const { body, message } = spelled({ page_type: 'email', user_ids: ['u'] }, given);
    return {
      rpc: '',
      method: 'POST',
      path: '/shop/batches',
      body,
      message: { environment: 'shop', batch: message },
    };
  },
};

/** A preview has no path. */
const transportsOf = ({ path }: Operation): [string, Transport][] =>
  Object.entries(service.transports).filter(([name]) => path !== '' || name !== 'http');

test.before(async () => {
  const http = createJsonClient(service);
  await http.put('/configurations/home', { constraints: [] });
  await http.put('/shop/items/product/lamp', { title: 'Lamp' });
});

for (const [rpc, operationOf] of Object.entries(withLists)) {
  test(`${rpc}: all variables count together, and the first one over the limit is reported`, async (t) => {
    const half = 1_001;
    const cases: [given: Given, pointers?: string[]][] = [
      [{}],
      [{ ofRequest: variableOf(half), ofList: variableOf(half) }],
      [{ ofRequest: variableOf(mostBytes - 1) }],
      [{ ofRequest: variableOf(mostBytes + 1) }, ['/wanted']],
      [{ ofList: variableOf(mostBytes + 1) }, ['/lists/1/wanted']],
      [{ ofRequest: variableOf(half), ofList: variableOf(half + 100) }, ['/lists/1/wanted']],
    ];
    for (const [given, pointers] of cases) {
      const operation = { ...operationOf(given), rpc };
      for (const [name, call] of transportsOf(operation)) {
        const { outcome } = await call(operation);
        t.is(outcome.ok, pointers === undefined, name);
        if (!outcome.ok) t.like(outcome, { reason: 'BODY_INVALID', pointers }, name);
      }
    }
  });
}

test('AudienceService/CreateAudience: variables have the limit of lists', async (t) => {
  const audience = {
    ...{ audience_name: 'a', audience_size: 1, integration_type: 'email' },
    promotion: [{ id: 'lamp' }],
  };
  for (const [bytes, isRight] of [
    [mostBytes - 1, true],
    [mostBytes + 1, false],
  ] as const) {
    const variables = variableOf(bytes);
    const operation: Operation = {
      ...{ rpc: 'AudienceService/CreateAudience', method: 'POST' },
      path: '/shop/targeting/audiences/requests',
      body: { audience: { ...audience, ...variables } },
      message: { environment: 'shop', audience: { ...audience, variables } },
    };
    for (const [name, call] of transportsOf(operation)) {
      const { outcome } = await call(operation);
      t.is(outcome.ok, isRight, name);
      if (!outcome.ok) t.like(outcome, { reason: 'BODY_INVALID', pointers: ['/audience/wanted'] }, name);
    }
  }
});

test('the message has the number of allowed bytes and the setting', async (t) => {
  const { body } = spelled(visitor, { ofRequest: variableOf(mostBytes + 1) });
  const answer = await createJsonClient(service).post('/shop/recommendations/requests', body);
  t.is(answer.status, 400);
  t.regex(JSON.stringify(answer.body), /2048 bytes of JSON.*limits\.variable_bytes/);
});
