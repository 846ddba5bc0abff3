/** All operations by the scope that they need. */

import type { Operation } from '../support/operation.ts';
import {
  createAudience,
  createCompletions,
  createEvents,
  createItem,
  createRecommendations,
  createSearch,
  deleteItem,
  disableItem,
  enableItem,
  getAudience,
  getCompletions,
  getItem,
  getMetric,
  getRecommendationList,
  getSearchList,
  listMetrics,
  putConfiguration,
  putItem,
} from '../support/spelled-operations.ts';

const audience = {
  audience_name: 'a',
  audience_size: 1,
  integration_type: 'email',
  promotion: [{ id: 'x' }],
};
export const view = { event_type: 'page_visit', device_id: 'd', page_type: 'home' };
const page = { list_key: 'x', offset: 1, limit: 1 };

/** The operations of each scope that work in one environment. */
export const inEnvironment: Record<string, ((environment: string) => Operation)[]> = {
  items: [
    (environment) => putItem({ environment, itemType: 'article', itemId: 'x' }, {}),
    (environment) => createItem({ environment, itemType: 'article' }, { item_id: 'x' }),
    (environment) => deleteItem({ environment, itemType: 'article', itemId: 'y' }),
    (environment) => enableItem({ environment, itemType: 'article', itemId: 'y' }),
    (environment) => disableItem({ environment, itemType: 'article', itemId: 'y' }),
    (environment) => getItem({ environment, itemType: 'article', itemId: 'y' }),
  ],
  events: [(environment) => createEvents([view], environment)],
  audiences: [
    (environment) => createAudience({ audience }, environment),
    (environment) => getAudience({ audience_id: 'x' }, environment),
  ],
  metrics: [(environment) => getMetric('clicks', { environment })],
};

/** Those about the whole deployment. */
export const everywhere: Record<string, Operation[]> = {
  configurations: [putConfiguration('y', {})],
  metrics: [listMetrics, getMetric('clicks')],
};

/** Those that need no token by default. */
export const publicOperations: Record<string, ((environment: string) => Operation)[]> = {
  recommendations: [
    (environment) => createRecommendations({}, environment),
    (environment) => getRecommendationList(page, environment),
  ],
  searches: [
    (environment) => createSearch({}, environment),
    (environment) => getSearchList(page, environment),
    (environment) => getCompletions({}, environment),
    (environment) => createCompletions({ fuzziness: 9 }, environment),
  ],
};
