/** Words unknown to the condition grammar or the deployment. */

import type { JsonObject } from '@bufbuild/protobuf';

/** Unknown operators; the pointers continue that of the constraint. */
export const unknownOperators: [where: string, constraint: unknown, pointer: string][] = [
  ['a query', { query: { key: 'title', regex: '.*' } }, '/query/regex'],
  ['a query with other operators', { query: { key: 'title', match: 'x', fuzzy: 'y' } }, '/query/fuzzy'],
  ['match', { query: { key: 'title', match: { like: 'x' } } }, '/query/match/like'],
  ['not', { query: { key: 'title', match: { not: { xor: ['x'] } } } }, '/query/match/not/xor'],
];

/** Undeclared metadata keys, and the nearest known key. */
export const unknownKeys: [where: string, configuration: JsonObject, pointer: string, nearest: string][] = [
  [
    'a query',
    { constraints: [{ query: { key: 'brnad', match: 'x' } }] },
    '/constraints/0/query/key',
    'brand',
  ],
  [
    'a preference',
    { preferences: [{ query: { key: 'Price', gt: 1 } }] },
    '/preferences/0/query/key',
    'price',
  ],
  [
    'a diversify',
    { constraints: [{ diversify: { key: 'category' } }] },
    '/constraints/0/diversify/key',
    'categories',
  ],
  [
    'a variable of the item',
    {
      constraints: [{ query: { key: 'brand', match: { variable: { name: 'langauge', context: 'item' } } } }],
    },
    '/constraints/0/query/match/variable/name',
    'language',
  ],
];
