/** Documented answers for recommendations, search and completions. */

import type { JsonObject } from '@bufbuild/protobuf';
import {
  createCompletions,
  createRecommendations,
  createSearch,
  getCompletions,
  getRecommendationList,
  getSearchList,
} from '../support/spelled-operations.ts';
import { bodyInvalid, configurationUnknown, type Endpoints, listUnknown, parameterInvalid } from './row.ts';

/** Requests a list with the stored configuration. */
export const request: JsonObject = {
  device_id: 'd1',
  page_type: 'home',
  lists: [{ configuration_id: 'stored', list_name: 'top', list_size: 2 }],
};
const searching: JsonObject = { q: 'chair', page_type: 'search', device_id: 'd1' };

export const servingEndpoints: Endpoints = {
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
    { meaning: 'results', operation: createSearch(searching), expected: { status: 200 } },
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
      meaning: 'completions',
      operation: getCompletions({ q: 'cha', user_id: 'u', device_id: 'd', request_id: 'r', page_type: 'p' }),
      expected: { status: 200 },
    },
    { meaning: 'no q', operation: getCompletions({}), expected: parameterInvalid('query:q') },
  ],
  'POST /{environment}/searches/completions': [
    {
      meaning: 'completions',
      operation: createCompletions({ q: 'cha', user_id: 'u', device_id: 'd', fuzziness: 1 }),
      expected: { status: 200 },
    },
    {
      meaning: 'too fuzzy',
      operation: createCompletions({ q: 'cha', fuzziness: 3 }),
      expected: bodyInvalid(400, '/fuzziness'),
    },
  ],
};
