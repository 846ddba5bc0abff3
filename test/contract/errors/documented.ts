/** The rows of the interface's table of errors, except those of 500. */

import type { Operation } from '../support/operation.ts';
import {
  createAudience,
  createConfiguration,
  createEvents,
  createItem,
  deleteConfiguration,
  deleteItem,
  disableItem,
  enableItem,
  getConfiguration,
  getItem,
  getMetric,
  getRecommendationList,
  getSearchList,
  putConfiguration,
  putItem,
} from '../support/spelled-operations.ts';

export type Expected = { status: number; reason: string; pointers?: string[] };

export const unknown = { itemId: 'unknown' };
const film = { itemType: 'film', itemId: 'x' };
export const audience = {
  audience_name: 'a',
  audience_size: 1,
  integration_type: 'email',
  promotion: [{ id: 'x' }],
};
const notJson = (operation: Operation): Operation => ({ ...operation, body: '{' });
const withoutToken = (operation: Operation) => ({ operation, token: null });
const withBadToken = (operation: Operation) => ({ operation, token: 'Bearer nonsense' });

export type ErrorRow = {
  where: string;
  meaning: string;
  calls: (Operation | { operation: Operation; token: string | null })[];
} & Expected;

export const page = { list_key: 'nowhere.x', offset: 1, limit: 1 };
const unsupported = { constraints: [{ query: { key: 'title', regex: 'x' } }] };
const hourly = { start_time: { gte: '2026-11-20T10:30:00Z' } };

export const documentedErrors: ErrorRow[] = [
  {
    where: 'enable/disable item',
    meaning: 'error in the request',
    calls: [enableItem(unknown), disableItem(unknown)],
    status: 400,
    reason: 'item_unknown',
  },
  {
    where: 'configurations POST and PUT',
    meaning: 'body malformed',
    calls: [
      createConfiguration({ configuration_id: 'x', constraints: 3 }),
      putConfiguration('x', { constraints: 3 }),
    ],
    status: 400,
    reason: 'body_invalid',
    pointers: ['/constraints'],
  },
  {
    where: 'events POST',
    meaning: 'missing mandatory information',
    calls: [createEvents([{ event_type: 'page_visit', device_id: 'd' }])],
    status: 400,
    reason: 'body_invalid',
    pointers: ['/events/0/page_type'],
  },
  {
    where: 'audience request',
    meaning: 'request invalid',
    calls: [createAudience({ audience: { ...audience, audience_size: 0 } })],
    status: 400,
    reason: 'body_invalid',
    pointers: ['/audience/audience_size'],
  },
  {
    where: 'GET /metrics/{metric}',
    meaning: 'error in query parameters',
    calls: [getMetric('clicks', hourly)],
    status: 400,
    reason: 'parameter_invalid',
    pointers: ['query:start_time.gte'],
  },
  {
    where: 'item endpoints',
    meaning: 'access token missing or invalid',
    calls: [putItem(unknown, {}), createItem({}, {}), deleteItem(unknown), getItem(unknown)].flatMap(
      (operation) => [withoutToken(operation), withBadToken(operation)],
    ),
    status: 401,
    reason: 'unauthenticated',
  },
  {
    where: 'audience request',
    meaning: 'not authorised',
    calls: [withoutToken(createAudience({ audience })), withBadToken(createAudience({ audience }))],
    status: 401,
    reason: 'unauthenticated',
  },
  {
    where: 'item PUT',
    meaning: 'item id not yet known',
    calls: [putItem(unknown)],
    status: 404,
    reason: 'item_unknown',
  },
  {
    where: 'item PUT and POST',
    meaning: 'item type not configured for the environment',
    calls: [putItem(film, {}), putItem(film), createItem(film, { item_id: 'x' })],
    status: 404,
    reason: 'item_type_unknown',
  },
  {
    where: 'item DELETE, GET',
    meaning: 'item id not yet known',
    calls: [deleteItem(unknown), getItem(unknown)],
    status: 404,
    reason: 'item_unknown',
  },
  {
    where: 'item DELETE, GET',
    meaning: 'item type not configured for the environment',
    calls: [deleteItem(film), getItem(film)],
    status: 404,
    reason: 'item_type_unknown',
  },
  {
    where: 'configuration GET, DELETE',
    meaning: 'configuration not found',
    calls: [getConfiguration('unknown'), deleteConfiguration('unknown')],
    status: 404,
    reason: 'configuration_unknown',
  },
  {
    where: 'lists endpoints',
    meaning: 'list key not found',
    calls: [getRecommendationList(page), getSearchList(page)],
    status: 404,
    reason: 'list_unknown',
  },
  {
    where: 'GET /metrics/{metric}',
    meaning: 'metric not found',
    calls: [getMetric('happiness')],
    status: 404,
    reason: 'metric_unknown',
  },
  {
    where: 'item PUT and POST',
    meaning: 'item information does not match the item specification',
    calls: [putItem(unknown, { price: 'x' }), createItem({}, { item_id: 'x', price: 'x' })],
    status: 415,
    reason: 'body_invalid',
    pointers: ['/price'],
  },
  {
    where: 'configurations POST and PUT, events POST',
    meaning: 'body is not JSON',
    calls: [createConfiguration({}), putConfiguration('x', {}), createEvents([])].map(notJson),
    status: 415,
    reason: 'body_not_json',
  },
  {
    where: 'item PUT and POST',
    meaning: 'body is not of the right type',
    calls: [putItem(unknown, {}), createItem({}, {})].map(notJson),
    status: 422,
    reason: 'body_not_json',
  },
  {
    where: 'configurations POST and PUT',
    meaning: 'functionality not supported',
    calls: [
      { ...createConfiguration({}), body: { configuration_id: 'x', ...unsupported } },
      { ...putConfiguration('x', {}), body: unsupported },
    ],
    status: 501,
    reason: 'operator_unsupported',
    pointers: ['/constraints/0/query/regex'],
  },
];
