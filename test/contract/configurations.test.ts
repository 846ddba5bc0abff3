/** The condition grammar: every accepted form, every error with its node, and versions. */

import type { JsonValue } from '@bufbuild/protobuf';
import { timestampDate } from '@bufbuild/protobuf/wkt';
import { ConnectError, createClient } from '@connectrpc/connect';
import test from 'ava';
import { ConfigurationService } from '../../gen/es/personalisation/v1/configuration_service_pb.js';
import { createAdminTransport } from '../support/admin-transport.ts';
import { configurationFaults, queryFaults } from './grammar/faults.ts';
import { acceptedConfigurations, acceptedQueries, title } from './grammar/spellings.ts';
import { unknownKeys, unknownOperators } from './grammar/unknown-words.ts';
import type { Problem } from './support/http.ts';
import { request } from './support/http.ts';
import type { Answer, Transport } from './support/operation.ts';
import { isAnsweredEverywhere } from './support/same-answer.ts';
import {
  createConfiguration,
  deleteConfiguration,
  getConfiguration,
  listConfigurations,
  putConfiguration,
} from './support/spelled-operations.ts';
import { testedService } from './support/tested-service.ts';

const service = testedService();
const http: Transport = (operation) => service.transports.http(operation);

let configurationCount = 0;

/** A separate configuration for each test. */
function freshId(): string {
  configurationCount += 1;
  return `configuration-${configurationCount}`;
}

const put = (configuration: unknown) =>
  http({ ...putConfiguration(freshId(), {}), body: configuration as JsonValue });

/** Returns the violations of a configuration as `status reason pointer …`. */
function faultOf({ status, outcome }: Answer): string {
  return outcome.ok ? `${status}` : [status, outcome.reason.toLowerCase(), ...outcome.pointers].join(' ');
}

for (const [spelling, query] of Object.entries(acceptedQueries)) {
  test(`${spelling} is stored and returned as it was sent`, async (t) => {
    const configurationId = freshId();
    const configuration = { constraints: [{ query }], preferences: [{ query, weight: -3 }] };
    t.is(faultOf(await http(putConfiguration(configurationId, configuration))), '200');
    const { outcome } = await http(getConfiguration(configurationId));
    t.deepEqual(outcome, { ok: true, body: { configuration_id: configurationId, ...configuration } });
  });
}

for (const [what, configuration] of Object.entries(acceptedConfigurations)) {
  test(`a configuration of ${what} is returned as it was sent`, async (t) => {
    const configurationId = freshId();
    t.is(
      faultOf(await http(createConfiguration({ configuration_id: configurationId, ...configuration }))),
      '200',
    );
    const { outcome } = await http(getConfiguration(configurationId));
    t.deepEqual(outcome, { ok: true, body: { configuration_id: configurationId, ...configuration } });
  });
}

for (const [fault, query, ...pointers] of queryFaults) {
  test(`${fault} is 400 at its node`, async (t) => {
    const full = pointers.map((pointer) => `/constraints/1/query${pointer}`);
    t.is(faultOf(await put({ constraints: [title, { query }] })), ['400 body_invalid', ...full].join(' '));
    const preferred = pointers.map((pointer) => `/preferences/0/query${pointer}`);
    t.is(faultOf(await put({ preferences: [{ query }] })), ['400 body_invalid', ...preferred].join(' '));
  });
}

for (const [fault, configuration, ...pointers] of configurationFaults) {
  test(`${fault} is 400 at its node`, async (t) => {
    t.is(faultOf(await put(configuration)), ['400 body_invalid', ...pointers].join(' '));
  });
}

for (const [where, constraint, pointer] of unknownOperators) {
  test(`an unknown operator in ${where} is 501 and named`, async (t) => {
    const operation = putConfiguration(freshId(), { constraints: [constraint as JsonValue] });
    t.is(faultOf(await http(operation)), `501 operator_unsupported /constraints/0${pointer}`);
    const problem = (await (
      await request(service.baseUrl, operation, service.authorization)
    ).json()) as Problem;
    t.true(problem.detail.includes(pointer.split('/').at(-1)!), problem.detail);
  });
}

for (const [where, configuration, pointer, nearest] of unknownKeys) {
  test(`an unknown metadata key in ${where} is 400 with the nearest known one`, async (t) => {
    const operation = putConfiguration(freshId(), configuration);
    t.is(faultOf(await http(operation)), `400 metadata_key_unknown ${pointer}`);
    const problem = (await (
      await request(service.baseUrl, operation, service.authorization)
    ).json()) as Problem;
    t.regex(problem.detail, new RegExp(`\\b${nearest}\\b`));
  });
}

test('a variable of the request may have any name', async (t) => {
  const query = { key: 'brand', match: { variable: { name: 'no such key' } } };
  t.is(faultOf(await put({ constraints: [{ query }] })), '200');
});

test('errors of the grammar are the same over every transport', async (t) => {
  const query = { key: 'price', range: { min: 2, max: 1 } };
  const configuration = { constraints: [{ query, limit: { min: 3, max: 2 } }] };
  const pointers = ['/constraints/0/query/range', '/constraints/0/limit'];
  const expected = { status: 400, reason: 'body_invalid', pointers };
  await isAnsweredEverywhere(t, service.transports, putConfiguration('faulty', configuration), expected);
});

test('unknown metadata keys get the same answer over every transport', async (t) => {
  const configuration = { constraints: [{ diversify: { key: 'colour' } }] };
  const pointers = ['/constraints/0/diversify/key'];
  const expected = { status: 400, reason: 'metadata_key_unknown', pointers };
  await isAnsweredEverywhere(t, service.transports, putConfiguration('faulty', configuration), expected);
});

test('the id of a PUT is the one in the path', async (t) => {
  const id = freshId();
  t.is(faultOf(await http(putConfiguration(id, { configuration_id: id }))), '200');
  t.is(
    faultOf(await http(putConfiguration(id, { configuration_id: 'other' }))),
    '400 body_invalid /configuration_id',
  );
});

test('a POST needs an id, and replaces the configuration with this id', async (t) => {
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

test('a deleted configuration is absent and may be stored again', async (t) => {
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

const client = createClient(ConfigurationService, createAdminTransport(service));

test('every write is kept as a version, including deletions', async (t) => {
  const configurationId = freshId();
  await client.putConfiguration({ configurationId, configuration: {}, comment: 'first' });
  await http(putConfiguration(configurationId, { preferences: [title] }));
  await client.deleteConfiguration({ configurationId, comment: 'away' });
  const { versions } = await client.listConfigurationVersions({ configurationId });
  t.deepEqual(
    versions.map(({ version, deletion, comment }) => [version, deletion, comment]),
    [
      [3, true, 'away'],
      [2, false, ''],
      [1, false, 'first'],
    ],
  );
  t.is(versions[0].clientId, service.admin.clientId);
  const first = await client.listConfigurationVersions({ configurationId, pageSize: 1 });
  const older = await client.listConfigurationVersions({
    configurationId,
    pageSize: 1,
    pageToken: first.nextPageToken,
  });
  t.deepEqual(
    [...first.versions, ...older.versions].map(({ version }) => version),
    [3, 2],
  );
  t.true(timestampDate(older.versions[0].createTime!) <= timestampDate(first.versions[0].createTime!));
  const { configuration } = await client.getConfiguration({ configurationId, version: 2 });
  t.is(configuration?.preferences[0].query?.key, 'title');
  t.is(configuration?.version, 2);
});

test('a write with a wrong expected version is refused and has no effect', async (t) => {
  const configurationId = freshId();
  const expecting = (expectedVersion: number) =>
    client.putConfiguration({ configurationId, configuration: {}, expectedVersion });
  t.is((await expecting(0)).version, 1);
  t.is((await expecting(1)).version, 2);
  for (const version of [0, 1, 3]) {
    const error = await t.throwsAsync<ConnectError>(expecting(version), { instanceOf: ConnectError });
    t.is(error.code, 10);
  }
  const wrongDelete = client.deleteConfiguration({ configurationId, expectedVersion: 1 });
  t.is((await t.throwsAsync<ConnectError>(wrongDelete)).code, 10);
  const { versions } = await client.listConfigurationVersions({ configurationId });
  t.is(versions.length, 2);
  await client.deleteConfiguration({ configurationId, expectedVersion: 2 });
  t.is(faultOf(await http(getConfiguration(configurationId))), '404 configuration_unknown');
});

test('a version that was never written is unknown', async (t) => {
  const configurationId = freshId();
  await http(putConfiguration(configurationId, {}));
  const missing = client.getConfiguration({ configurationId, version: 7 });
  t.is((await t.throwsAsync<ConnectError>(missing)).code, 5);
  const stranger = client.listConfigurationVersions({ configurationId: 'never' });
  t.is((await t.throwsAsync<ConnectError>(stranger)).code, 5);
});
