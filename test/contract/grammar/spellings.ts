/** Every form of the condition grammar. */

import type { JsonObject, JsonValue } from '@bufbuild/protobuf';
import { comparisons } from '../../../src/formats/conditions.ts';
import { textFields } from '../support/spelled-operations.ts';

export const variable = { variable: { name: 'wanted' } };
const ofHistory = {
  variable: { name: 'brand', context: 'history', events: ['purchase'], days: 90, max_values: 5 },
};
const fullVariable = { variable: { name: 'brand', context: 'item', default: 'Acme', on_absent_drop: true } };

/** Values and variables, one or several, in the forms of every comparator. */
const comparators: Record<string, JsonValue> = {
  'a bare value': 'Acme',
  'a value': { value: 'Acme' },
  'a variable': variable,
  'an array of one': ['Acme'],
  'an array of bare values': ['Acme', 'Bolt'],
  'an array of values': [{ value: 'Acme' }, { value: 'Bolt' }],
  'an array of everything': ['Acme', { value: 'Bolt' }, variable, fullVariable, ofHistory],
};

/** The operators with comparators. */
export const comparatorWords = [...comparisons.map(({ name }) => name), 'or', 'and'];

/** Queries in every form. */
export const acceptedQueries: Record<string, JsonObject> = {
  ...Object.fromEntries(
    comparatorWords.flatMap((word) =>
      Object.entries(comparators).map(([spelling, operands]) => [
        `${word} with ${spelling}`,
        { key: 'brand', [word]: operands },
      ]),
    ),
  ),
  ...Object.fromEntries(
    Object.entries(comparators).flatMap(([spelling, operands]) => [
      [`match with ${spelling}`, { key: 'brand', match: operands }],
      [`match or with ${spelling}`, { key: 'brand', match: { or: operands } }],
      [`match and with ${spelling}`, { key: 'brand', match: { and: operands } }],
      [`match not with ${spelling}`, { key: 'brand', match: { not: operands } }],
      [`match not or with ${spelling}`, { key: 'brand', match: { not: { or: operands } } }],
      [`match not and with ${spelling}`, { key: 'brand', match: { not: { and: operands } } }],
    ]),
  ),
  'a number': { key: 'price', match: 49.5 },
  zero: { key: 'price', match: { value: 0 } },
  true: { key: 'in_stock', match: true },
  false: { key: 'in_stock', match: { value: false } },
  'an empty string': { key: 'brand', match: '' },
  'a range': { key: 'price', range: { min: -1.5, max: 20 } },
  'a range of one number': { key: 'price', range: { min: 0, max: 0 } },
  'a date range': {
    key: 'released',
    date_range: { min: '2026-11-20T10:00:00+01:00', max: '2026-11-21T10:00:00Z' },
  },
  'a range of dates': { key: 'released', date_range: { min: '2026-11-20', max: '2026-11-21' } },
  'a relative date range': { key: 'publication_datetime', date_range: { min: 'now-72h', max: 'now' } },
  'a date range of whole days': { key: 'released', date_range: { min: 'now/d-7d', max: 'now/d' } },
  'a date range without end': { key: 'released', date_range: { min: 'now-2w' } },
  'a date range without start': { key: 'released', date_range: { max: 'now+30m' } },
  'several operators': { key: 'price', gt: 1, lte: 10, match: { not: 5 } },
  'a variable of the request': {
    key: 'brand',
    match: { variable: { name: 'wanted', context: 'request_body', default: 3 } },
  },
  'a variable of the item': { key: 'brand', match: fullVariable },
  'a variable with a default of false': {
    key: 'in_stock',
    match: { variable: { name: 'x', default: false, on_absent_drop: false } },
  },
  'an item attribute': { key: 'item_attributes.size', match: 'XL' },
  'an item attribute with dots': { key: 'item_attributes.a.b', match: 'XL' },
  ...Object.fromEntries(textFields.map((key) => [`the key ${key}`, { key, match: 'x' }])),
};

export const title = { query: { key: 'title', match: 'x' } };
export const diversify = { diversify: { key: 'categories' } };

/** Configurations as a whole. */
export const acceptedConfigurations: Record<string, JsonObject> = {
  nothing: {},
  'empty lists': { constraints: [], preferences: [] },
  limits: {
    constraints: [
      { ...title, limit: {} },
      { ...title, limit: { min: 0 } },
      { ...title, limit: { max: 0 } },
      { ...title, limit: { min: 2, max: 2 } },
      { ...title, limit: { max: 1000 } },
    ],
  },
  'diversity rules': { constraints: [diversify, { ...diversify, limit: { max: 3 } }] },
  'groups that are never together': {
    constraints: [{ never_together: [title.query, { ...title.query, match: 'y' }] }],
  },
  weights: { preferences: [title, { ...title, weight: -5 }, { ...title, weight: 0 }] },
  annotations: {
    constraints: [
      { ...title, _constraint_explanation: 'why 椅子' },
      { ...diversify, _diversify_explanation: 'why' },
      { ...title, _preference_explanation: 'why' },
    ],
    preferences: [
      { ...title, _preference_explanation: 'why' },
      { ...title, _constraint_explanation: 'why' },
    ],
  },
};
