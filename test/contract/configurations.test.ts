/** The condition grammar: every spelling that is stored, every malformation and the node it is reported at, and versions. */

import type { JsonObject, JsonValue } from '@bufbuild/protobuf';
import { ConnectError, createClient } from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-node';
import test from 'ava';
import { ConfigurationService } from '../../gen/es/personalisation/v1/configuration_service_pb.js';
import type { Problem } from './support/http.ts';
import { request } from './support/http.ts';
import type { Answer } from './support/operation.ts';
import {
  createConfiguration,
  deleteConfiguration,
  getConfiguration,
  listConfigurations,
  putConfiguration,
} from './support/operations.ts';
import { isAnsweredEverywhere } from './support/same-answer.ts';
import { startTestedService } from './support/tested-service.ts';

const service = await startTestedService();
const { transports, baseUrl, authorization } = service;
const { http } = transports;

let configurationCount = 0;

/** A configuration of its own for each test. */
function freshId(): string {
  configurationCount += 1;
  return `configuration-${configurationCount}`;
}

const put = (configuration: unknown) =>
  http({ ...putConfiguration(freshId(), {}), body: configuration as JsonValue });

/** What is wrong with the configuration, as `status reason pointer …`. */
function faultOf({ status, outcome }: Answer): string {
  return outcome.ok ? `${status}` : [status, outcome.reason.toLowerCase(), ...outcome.pointers].join(' ');
}

const variable = { variable: { name: 'wanted' } };
const fullVariable = { variable: { name: 'brand', context: 'item', default: 'Acme', on_absent_drop: true } };

/** Values and variables, one or several, as every comparator takes them. */
const comparators: Record<string, JsonValue> = {
  'a bare value': 'Acme',
  'a value': { value: 'Acme' },
  'a variable': variable,
  'an array of one': ['Acme'],
  'an array of bare values': ['Acme', 'Bolt'],
  'an array of values': [{ value: 'Acme' }, { value: 'Bolt' }],
  'an array of everything': ['Acme', { value: 'Bolt' }, variable, fullVariable],
};

const comparatorWords = ['contains', 'starts_with', 'gt', 'gte', 'lt', 'lte', 'or', 'and'];

const accepted: Record<string, JsonObject> = {
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
  ...Object.fromEntries(
    ['item_id', 'item_type', 'title', 'description', 'uri', 'language', 'categories', 'tags'].map((key) => [
      `the key ${key}`,
      { key, match: 'x' },
    ]),
  ),
};

for (const [spelling, query] of Object.entries(accepted)) {
  test(`${spelling} is stored and comes back as it was sent`, async (t) => {
    const configurationId = freshId();
    const configuration = { constraints: [{ query }], preferences: [{ query, weight: -3 }] };
    t.is(faultOf(await http(putConfiguration(configurationId, configuration))), '200');
    const { outcome } = await http(getConfiguration(configurationId));
    t.deepEqual(outcome, { ok: true, body: { configuration_id: configurationId, ...configuration } });
  });
}

const title = { query: { key: 'title', match: 'x' } };
const diversify = { diversify: { key: 'categories' } };

const wholes: Record<string, JsonObject> = {
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

for (const [what, configuration] of Object.entries(wholes)) {
  test(`a configuration of ${what} comes back as it was sent`, async (t) => {
    const configurationId = freshId();
    t.is(
      faultOf(await http(createConfiguration({ configuration_id: configurationId, ...configuration }))),
      '200',
    );
    const { outcome } = await http(getConfiguration(configurationId));
    t.deepEqual(outcome, { ok: true, body: { configuration_id: configurationId, ...configuration } });
  });
}

/** Faults of a query; the pointers continue that of the query. */
const queryFaults: [fault: string, query: unknown, ...pointers: string[]][] = [
  ['no key', { match: 'x' }, '/key'],
  ['an empty key', { key: '', match: 'x' }, '/key'],
  ['a key that is a number', { key: 3, match: 'x' }, '/key'],
  ['no operator', { key: 'title' }, ''],
  ['a query that is text', 'title', ''],
  ['a query that is a list', [{ key: 'title', match: 'x' }], ''],
  ['a match that is empty', { key: 'title', match: {} }, '/match'],
  ['a match with an empty array', { key: 'title', match: [] }, '/match'],
  ['a match of null', { key: 'title', match: null }, ''],
  ['two operators in match', { key: 'title', match: { or: ['a'], and: ['b'] } }, '/match'],
  ['a value and not in match', { key: 'title', match: { value: 'a', not: 'b' } }, '/match'],
  ['a value and a variable', { key: 'title', match: { value: 'a', ...variable } }, '/match'],
  ['an empty or in match', { key: 'title', match: { or: [] } }, '/match/or'],
  ['an empty and in match', { key: 'title', match: { and: [] } }, '/match/and'],
  ['an empty not', { key: 'title', match: { not: {} } }, '/match/not'],
  ['an empty array in not', { key: 'title', match: { not: [] } }, '/match/not'],
  ['an empty or in not', { key: 'title', match: { not: { or: [] } } }, '/match/not/or'],
  ['two operators in not', { key: 'title', match: { not: { or: ['a'], and: ['b'] } } }, '/match/not'],
  ['an operand that is null', { key: 'title', match: ['a', null] }, '/match/1'],
  ['an operand that is a list', { key: 'title', match: ['a', ['b']] }, '/match/1'],
  ['an empty operand', { key: 'title', match: { or: ['a', {}] } }, '/match/or/1'],
  ['a value that is a list', { key: 'title', match: { value: ['a'] } }, '/match'],
  ['a value that is an object', { key: 'title', contains: { value: {} } }, '/contains'],
  ['a value that is null', { key: 'title', contains: { value: null } }, '/contains'],
  ...comparatorWords.flatMap((word): [string, unknown, string][] => [
    [`an empty array in ${word}`, { key: 'title', [word]: [] }, `/${word}`],
    [`an object in ${word}`, { key: 'title', [word]: {} }, `/${word}`],
    [`both in ${word}`, { key: 'title', [word]: ['a', { value: 'a', ...variable }] }, `/${word}/1`],
  ]),
  ['an operand of an unknown form', { key: 'title', contains: { regex: 'x' } }, '/contains/regex'],
  ['an operator inside a list', { key: 'title', match: { or: [{ not: 'x' }] } }, '/match/or/0/not'],
  ['a variable without name', { key: 'title', match: { variable: {} } }, '/match/variable/name'],
  ['a variable that is text', { key: 'title', match: { variable: 'x' } }, '/match/variable'],
  [
    'a variable of an unknown context',
    { key: 'title', match: { variable: { name: 'x', context: 'user' } } },
    '/match/variable/context',
  ],
  [
    'a default that is a list',
    { key: 'title', match: { variable: { name: 'x', default: ['a'] } } },
    '/match/variable/default',
  ],
  [
    'on_absent_drop as text',
    { key: 'title', match: { variable: { name: 'x', on_absent_drop: 'true' } } },
    '/match/variable/on_absent_drop',
  ],
  [
    'an unknown field of a variable',
    { key: 'title', gt: [{ variable: { name: 'x', fallback: 1 } }] },
    '/gt/0/variable/fallback',
  ],
  ['a range without min', { key: 'price', range: { max: 1 } }, '/range/min'],
  ['a range without max', { key: 'price', range: { min: 1 } }, '/range/max'],
  ['a range with text', { key: 'price', range: { min: '1', max: 2 } }, '/range/min'],
  ['a range with min above max', { key: 'price', range: { min: 2, max: 1 } }, '/range'],
  ['a range that is a list', { key: 'price', range: [1, 2] }, '/range'],
  ['an unknown field of a range', { key: 'price', range: { min: 1, max: 2, step: 1 } }, '/range/step'],
  ['an empty date range', { key: 'released', date_range: {} }, '/date_range'],
  ['a date range with a number', { key: 'released', date_range: { min: 5 } }, '/date_range/min'],
  ['a date range with prose', { key: 'released', date_range: { min: 'yesterday' } }, '/date_range/min'],
  ['a date that does not exist', { key: 'released', date_range: { max: '2026-02-30' } }, '/date_range/max'],
  [
    'a moment without offset',
    { key: 'released', date_range: { max: '2026-01-01T10:00:00' } },
    '/date_range/max',
  ],
  ['an unknown unit of time', { key: 'released', date_range: { min: 'now-3y' } }, '/date_range/min'],
  [
    'a date range that ends before it starts',
    { key: 'released', date_range: { min: '2026-11-21', max: '2026-11-20' } },
    '/date_range',
  ],
];

for (const [fault, query, ...pointers] of queryFaults) {
  test(`${fault} is 400 at its node`, async (t) => {
    const full = pointers.map((pointer) => `/constraints/1/query${pointer}`);
    t.is(faultOf(await put({ constraints: [title, { query }] })), ['400 body_invalid', ...full].join(' '));
    const preferred = pointers.map((pointer) => `/preferences/0/query${pointer}`);
    t.is(faultOf(await put({ preferences: [{ query }] })), ['400 body_invalid', ...preferred].join(' '));
  });
}

const limited = (limit: unknown) => ({ constraints: [{ ...title, limit }] });
const diversified = (limit: unknown) => ({ constraints: [{ ...diversify, limit }] });

const faults: [fault: string, configuration: unknown, ...pointers: string[]][] = [
  ['a configuration that is a list', [], ''],
  ['a configuration that is text', '"x"', ''],
  ['an unknown field', { rules: [] }, '/rules'],
  ['constraints that are no list', { constraints: title }, '/constraints'],
  ['preferences that are no list', { preferences: title }, '/preferences'],
  ['a constraint that is text', { constraints: ['x'] }, '/constraints/0'],
  ['a constraint that is null', { constraints: [null] }, '/constraints/0'],
  ['a constraint without query and diversify', { constraints: [{ limit: { max: 1 } }] }, '/constraints/0'],
  ['a query beside a diversify', { constraints: [{ ...title, ...diversify }] }, '/constraints/0/diversify'],
  ['a preference without query', { preferences: [{ weight: 1 }] }, '/preferences/0/query'],
  ['a weight that is text', { preferences: [{ ...title, weight: '2' }] }, '/preferences/0/weight'],
  ['a weight that is a fraction', { preferences: [{ ...title, weight: 1.5 }] }, '/preferences/0/weight'],
  ['a huge weight', { preferences: [{ ...title, weight: 1_000_001 }] }, '/preferences/0/weight'],
  ['a limit that is a number', limited(3), '/constraints/0/limit'],
  ['a limit that is text', limited({ max: '3' }), '/constraints/0/limit/max'],
  ['a negative maximum', limited({ max: -1 }), '/constraints/0/limit/max'],
  ['a negative minimum', limited({ min: -1 }), '/constraints/0/limit/min'],
  ['a huge maximum', limited({ max: 1001 }), '/constraints/0/limit/max'],
  ['a maximum beyond all integers', limited({ max: 1e300 }), '/constraints/0/limit/max'],
  ['a maximum that is a fraction', limited({ max: 1.5 }), '/constraints/0/limit/max'],
  ['a minimum above the maximum', limited({ min: 3, max: 2 }), '/constraints/0/limit'],
  ['an unknown limit', limited({ exactly: 2 }), '/constraints/0/limit/exactly'],
  ['a diversify with a minimum', diversified({ min: 1 }), '/constraints/0/limit/min'],
  ['a diversify with maximum 0', diversified({ max: 0 }), '/constraints/0/limit/max'],
  ['a diversify without key', { constraints: [{ diversify: {} }] }, '/constraints/0/diversify/key'],
  ['a diversify that is text', { constraints: [{ diversify: 'brand' }] }, '/constraints/0/diversify'],
  [
    'an unknown field of a diversify',
    { constraints: [{ diversify: { key: 'brand', by: 2 } }] },
    '/constraints/0/diversify/by',
  ],
  [
    'an annotation that is a list',
    { constraints: [{ ...title, _constraint_explanation: ['x'] }] },
    '/constraints/0/_constraint_explanation',
  ],
  ['too many constraints', { constraints: Array(201).fill(title) }, '/constraints'],
  ['too many preferences', { preferences: Array(201).fill(title) }, '/preferences'],
  [
    'too many values',
    { constraints: [{ query: { key: 'brand', match: Array(1001).fill('x') } }] },
    '/constraints/0/query/match',
  ],
  [
    'a value that is too long',
    { constraints: [{ query: { key: 'brand', contains: 'x'.repeat(1025) } }] },
    '/constraints/0/query/contains',
  ],
  ['an unknown field of a constraint', { constraints: [{ ...title, unless: {} }] }, '/constraints/0/unless'],
  ['an unknown field of a preference', { preferences: [{ ...title, boost: 2 }] }, '/preferences/0/boost'],
  [
    'several faults',
    { constraints: [{ query: { match: 'x' }, limit: { max: -1 } }, 'x'] },
    '/constraints/0/query/key',
    '/constraints/0/limit/max',
    '/constraints/1',
  ],
];

for (const [fault, configuration, ...pointers] of faults) {
  test(`${fault} is 400 at its node`, async (t) => {
    t.is(faultOf(await put(configuration)), ['400 body_invalid', ...pointers].join(' '));
  });
}

const unknownWords: [where: string, constraint: unknown, pointer: string][] = [
  ['a query', { query: { key: 'title', regex: '.*' } }, '/query/regex'],
  ['a query with other operators', { query: { key: 'title', match: 'x', fuzzy: 'y' } }, '/query/fuzzy'],
  ['match', { query: { key: 'title', match: { like: 'x' } } }, '/query/match/like'],
  ['not', { query: { key: 'title', match: { not: { xor: ['x'] } } } }, '/query/match/not/xor'],
];

for (const [where, constraint, pointer] of unknownWords) {
  test(`an operator that ${where} does not have is 501 and named`, async (t) => {
    const operation = putConfiguration(freshId(), { constraints: [constraint as JsonValue] });
    t.is(faultOf(await http(operation)), `501 operator_unsupported /constraints/0${pointer}`);
    const problem = (await (await request(baseUrl, operation, authorization)).json()) as Problem;
    t.true(problem.detail.includes(pointer.split('/').at(-1)!), problem.detail);
  });
}

const unknownKeys: [where: string, configuration: JsonObject, pointer: string, nearest: string][] = [
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

for (const [where, configuration, pointer, nearest] of unknownKeys) {
  test(`an unknown metadata key in ${where} is 400 and the nearest is named`, async (t) => {
    const operation = putConfiguration(freshId(), configuration);
    t.is(faultOf(await http(operation)), `400 metadata_key_unknown ${pointer}`);
    const problem = (await (await request(baseUrl, operation, authorization)).json()) as Problem;
    t.regex(problem.detail, new RegExp(`\\b${nearest}\\b`));
  });
}

test('a variable of the request may have any name', async (t) => {
  const query = { key: 'brand', match: { variable: { name: 'no such key' } } };
  t.is(faultOf(await put({ constraints: [{ query }] })), '200');
});

test('faults of the grammar are the same over every transport', async (t) => {
  const query = { key: 'price', range: { min: 2, max: 1 } };
  const configuration = { constraints: [{ query, limit: { min: 3, max: 2 } }] };
  const pointers = ['/constraints/0/query/range', '/constraints/0/limit'];
  const expected = { status: 400, reason: 'body_invalid', pointers };
  await isAnsweredEverywhere(t, transports, putConfiguration('faulty', configuration), expected);
});

test('unknown metadata keys are the same over every transport', async (t) => {
  const configuration = { constraints: [{ diversify: { key: 'colour' } }] };
  const pointers = ['/constraints/0/diversify/key'];
  const expected = { status: 400, reason: 'metadata_key_unknown', pointers };
  await isAnsweredEverywhere(t, transports, putConfiguration('faulty', configuration), expected);
});

test('the id of a PUT is that of the path', async (t) => {
  const id = freshId();
  t.is(faultOf(await http(putConfiguration(id, { configuration_id: id }))), '200');
  t.is(
    faultOf(await http(putConfiguration(id, { configuration_id: 'other' }))),
    '400 body_invalid /configuration_id',
  );
});

test('a POST needs an id, and replaces one of the same id', async (t) => {
  t.is(faultOf(await http(createConfiguration({}))), '400 body_invalid /configuration_id');
  const id = freshId();
  await http(createConfiguration({ configuration_id: id, constraints: [title] }));
  t.is(faultOf(await http(createConfiguration({ configuration_id: id, preferences: [title] }))), '200');
  const { outcome } = await http(getConfiguration(id));
  t.deepEqual(outcome, { ok: true, body: { configuration_id: id, preferences: [title] } });
});

for (const id of ['a/b', 'a b', '100%', '椅子', 'x'.repeat(256)]) {
  test(`a configuration may have the id ${id.slice(0, 10)}`, async (t) => {
    t.is(faultOf(await http(putConfiguration(id, {}))), '200');
    t.is(faultOf(await http(getConfiguration(id))), '200');
    t.is(faultOf(await http(deleteConfiguration(id))), '200');
  });
}

test('an id above 256 characters is 400', async (t) => {
  const id = 'x'.repeat(257);
  t.is(faultOf(await http(putConfiguration(id, {}))), '400 parameter_invalid path:configuration_id');
  t.is(
    faultOf(await http(createConfiguration({ configuration_id: id }))),
    '400 body_invalid /configuration_id',
  );
});

test('a deleted configuration is gone and may be stored again', async (t) => {
  const id = freshId();
  await http(putConfiguration(id, {}));
  t.is(faultOf(await http(deleteConfiguration(id))), '200');
  t.is(faultOf(await http(deleteConfiguration(id))), '404 configuration_unknown');
  t.is(faultOf(await http(getConfiguration(id))), '404 configuration_unknown');
  const { outcome } = await http(listConfigurations);
  t.false(outcome.ok && (outcome.body as string[]).includes(id));
  t.is(faultOf(await http(putConfiguration(id, {}))), '200');
  t.is(faultOf(await http(getConfiguration(id))), '200');
});

test('a huge configuration is 413', async (t) => {
  const configuration = { preferences: [{ ...title, _preference_explanation: 'x'.repeat(4 * 1024 * 1024) }] };
  t.is(faultOf(await http(putConfiguration(freshId(), configuration))), '413 body_too_large');
});

test('a configuration at all its limits is stored', async (t) => {
  const query = { key: 'brand', match: { or: Array.from({ length: 50 }, (_, i) => `brand ${i}`) } };
  const constraints = Array(200).fill({ query, limit: { max: 10 } });
  t.is(faultOf(await put({ constraints, preferences: Array(200).fill({ query }) })), '200');
});

const client = createClient(
  ConfigurationService,
  createConnectTransport({ baseUrl: new URL(baseUrl).origin, httpVersion: '1.1' }),
);
const options = { headers: { authorization } };

test('every write is kept as a version, deletions too', async (t) => {
  const configurationId = freshId();
  await client.putConfiguration({ configurationId, configuration: {}, comment: 'first' }, options);
  await http(putConfiguration(configurationId, { preferences: [title] }));
  await client.deleteConfiguration({ configurationId, comment: 'away' }, options);
  const { versions } = await client.listConfigurationVersions({ configurationId }, options);
  t.deepEqual(
    versions.map(({ version, deletion, comment }) => [version, deletion, comment]),
    [
      [3, true, 'away'],
      [2, false, ''],
      [1, false, 'first'],
    ],
  );
  t.is(versions[0].clientId, service.admin.clientId);
  const older = await client.listConfigurationVersions(
    { configurationId, beforeVersion: 3, limit: 1 },
    options,
  );
  t.deepEqual(
    older.versions.map(({ version }) => version),
    [2],
  );
  const { configuration } = await client.getConfiguration({ configurationId, version: 2 }, options);
  t.is(configuration?.preferences[0].query?.key, 'title');
  t.is(configuration?.version, 2);
});

test('a write that expects another version is refused and writes nothing', async (t) => {
  const configurationId = freshId();
  const expecting = (expectedVersion: number) =>
    client.putConfiguration({ configurationId, configuration: {}, expectedVersion }, options);
  t.is((await expecting(0)).version, 1);
  t.is((await expecting(1)).version, 2);
  for (const version of [0, 1, 3]) {
    const error = await t.throwsAsync<ConnectError>(expecting(version), { instanceOf: ConnectError });
    t.is(error.code, 10);
  }
  const wrongDelete = client.deleteConfiguration({ configurationId, expectedVersion: 1 }, options);
  t.is((await t.throwsAsync<ConnectError>(wrongDelete)).code, 10);
  const { versions } = await client.listConfigurationVersions({ configurationId }, options);
  t.is(versions.length, 2);
  await client.deleteConfiguration({ configurationId, expectedVersion: 2 }, options);
  t.is(faultOf(await http(getConfiguration(configurationId))), '404 configuration_unknown');
});

test('a version that was never written is unknown', async (t) => {
  const configurationId = freshId();
  await http(putConfiguration(configurationId, {}));
  const missing = client.getConfiguration({ configurationId, version: 7 }, options);
  t.is((await t.throwsAsync<ConnectError>(missing)).code, 5);
  const stranger = client.listConfigurationVersions({ configurationId: 'never' }, options);
  t.is((await t.throwsAsync<ConnectError>(stranger)).code, 5);
});
