/** Documented answers for audiences, events, metrics and tokens. */

import type { JsonObject } from '@bufbuild/protobuf';
import {
  createAudience,
  createEvents,
  createToken,
  getAudience,
  getMetric,
  listMetrics,
} from '../support/spelled-operations.ts';
import { bodyInvalid, type Endpoints, noToken, notJson, parameterInvalid, unauthenticated } from './row.ts';

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

export const intakeEndpoints: Endpoints = {
  'POST /{environment}/targeting/audiences/requests': [
    { meaning: 'the audience', operation: createAudience({ audience }), expected: { status: 200 } },
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
  'GET /metrics': [{ meaning: 'array of metrics', operation: listMetrics, expected: { status: 200 } }],
  'GET /metrics/{metric}': [
    {
      meaning: 'an interval of an environment',
      operation: getMetric('clicks', {
        ascending: false,
        environment: 'shop',
        limit: 10,
        orderby: 'value',
        start_time: { gte: '2026-11-20T10:00:00Z', lt: '2026-11-20T12:00:00+01:00' },
      }),
      expected: { status: 200 },
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
};

/** @param credentials Credentials of an existing client. */
/** @param credentials Called while tests run. */
export function tokenEndpoint(credentials: () => { client_id: string; client_secret: string }): Endpoints {
  const ask = (other: JsonObject = {}) =>
    createToken({ grant_type: 'client_credentials', ...credentials(), ...other });
  return {
    'POST /oauth/token': [
      { meaning: 'token', operation: () => ask(), expected: { status: 200 }, ...noToken },
      {
        meaning: 'another grant type',
        operation: () => ask({ grant_type: 'password' }),
        expected: bodyInvalid(400, '/grant_type'),
        ...noToken,
      },
      {
        meaning: 'wrong secret',
        operation: () => ask({ client_secret: 'wrong' }),
        expected: { status: 401, reason: 'client_invalid' },
        ...noToken,
      },
    ],
  };
}
