/**
 * Replicas of configurations: versions that are written, begin, end or are deleted, on two nodes.
 */

import { create } from '@bufbuild/protobuf';
import test, { type ExecutionContext } from 'ava';
import type { Logger } from 'pino';
import { ConfigurationSchema } from '../../../../gen/es/personalisation/v1/configuration_pb.js';
import {
  type ConfigurationReplica,
  createConfigurationReplica,
  type ParsedConfiguration,
} from '../../../../src/handlers/configurations/replica/configuration-replica.ts';
import { contentOf } from '../../../../src/handlers/configurations/replica/content.ts';
import type { SearchRules } from '../../../../src/ranking/rules/search-rules.ts';
import {
  deleteConfiguration,
  saveConfiguration,
} from '../../../../src/repository/configurations/configurations.ts';
import { createLogger } from '../../../../src/servers/telemetry/logger.ts';
import { createTestDatabase, type TestDatabase } from '../../../support/database.ts';

type Document = { from?: number; until?: number; redirect?: string };

const ofSearches: SearchRules = {
  environments: [],
  when: { queries: [], categories: [], pageTypes: [], languages: [], audienceIds: [] },
  priority: 0,
  places: 10,
  pins: [],
  hides: [],
  promotedContent: [],
};

const parse = (document: unknown): ParsedConfiguration => {
  if (typeof document !== 'object') throw new Error('not a document');
  const { from, until, redirect } = document as Document;
  const rules = { configurationId: 'home', rules: [], preferences: [] };
  const search = redirect === undefined ? undefined : { ...ofSearches, redirect };
  const content = contentOf(create(ConfigurationSchema));
  const schedule = { activeFromMs: from, activeUntilMs: until };
  return { rules, settings: { allowDuplicates: false, pins: [], hides: [] }, search, content, ...schedule };
};

/** Reads the configurations once; the test sets `clock.nowMs`. */
async function startNode(t: ExecutionContext, db: TestDatabase, clock: { nowMs: number }) {
  const replica = createConfigurationReplica({
    db,
    parse,
    intervalMs: 3_600_000,
    clock: () => clock.nowMs,
    logger: createLogger('silent'),
  });
  await replica.start();
  t.teardown(() => replica.stop());
  return replica;
}

const versionOf = (replica: ConfigurationReplica) => replica.find('home', 'shop')?.version;

const save = (db: TestDatabase, document: unknown) =>
  saveConfiguration(db, { configurationId: 'home', document });

test('a schedule begins and ends at its millisecond on every node', async (t) => {
  const db = await createTestDatabase(t);
  const clock = { nowMs: 0 };
  await save(db, {});
  const early = await startNode(t, db, clock);
  const document: Document = { from: 1_000, until: 2_000 };
  early.apply({ configurationId: 'home', version: await save(db, document), document });
  const late = await startNode(t, db, clock);
  for (const [nowMs, version] of [
    [999, 1],
    [1_000, 2],
    [1_999, 2],
    [2_000, 1],
  ]) {
    clock.nowMs = nowMs;
    t.deepEqual([early, late].map(versionOf), [version, version], `at ${nowMs}`);
  }
});

test('a deletion hides every version, scheduled ones too', async (t) => {
  const db = await createTestDatabase(t);
  const clock = { nowMs: 0 };
  await save(db, {});
  await save(db, { from: 1_000 });
  const replica = await startNode(t, db, clock);
  replica.apply({
    configurationId: 'home',
    version: (await deleteConfiguration(db, { configurationId: 'home' }))!,
  });
  t.is(versionOf(replica), undefined);
  clock.nowMs = 5_000;
  t.is(versionOf(replica), undefined);
});

test('an older version that arrives late changes nothing', async (t) => {
  const db = await createTestDatabase(t);
  const replica = await startNode(t, db, { nowMs: 0 });
  for (const version of [2, 1, 2]) replica.apply({ configurationId: 'home', version, document: {} });
  t.is(versionOf(replica), 2);
});

test('a version of another node takes effect even if it arrives after a later one of this node', async (t) => {
  const db = await createTestDatabase(t);
  const clock = { nowMs: 0 };
  const replica = await startNode(t, db, clock);
  replica.apply({ configurationId: 'home', version: 2, document: { from: 1_000, until: 2_000 } });
  replica.apply({ configurationId: 'home', version: 1, document: {} });
  for (const [nowMs, version] of [
    [0, 1],
    [1_000, 2],
    [2_000, 1],
  ]) {
    clock.nowMs = nowMs;
    t.is(versionOf(replica), version, `at ${nowMs}`);
  }
});

test('a clock that was ahead for hours does not change the served version', async (t) => {
  const db = await createTestDatabase(t);
  const hourMs = 3_600_000;
  const clock = { nowMs: 6 * hourMs };
  await save(db, {});
  await save(db, { until: 2 * hourMs });
  await save(db, { from: 3 * hourMs });
  const replica = await startNode(t, db, clock);
  for (const [hours, version] of [
    [6, 3],
    [1, 2],
    [2, 1],
    [3, 3],
  ]) {
    clock.nowMs = hours * hourMs;
    t.is(versionOf(replica), version, `at ${hours}:00`);
  }
});

test('a version that cannot be read leaves the one before it in force', async (t) => {
  const db = await createTestDatabase(t);
  const replica = await startNode(t, db, { nowMs: 0 });
  replica.apply({ configurationId: 'home', version: 1, document: {} });
  replica.apply({ configurationId: 'home', version: 2, document: 'broken' });
  t.is(versionOf(replica), 1);
});

test('a refresh reads the writes of another node', async (t) => {
  const db = await createTestDatabase(t);
  const replica = await startNode(t, db, { nowMs: 0 });
  await save(db, {});
  t.is(versionOf(replica), undefined);
  await replica.refresh();
  t.is(versionOf(replica), 1);
});

test('a refresh rejects if the database fails', async (t) => {
  const db = await createTestDatabase(t);
  const replica = await startNode(t, db, { nowMs: 0 });
  await db.pool.query('alter table configuration_versions rename to away');
  await t.throwsAsync(replica.refresh());
});

test('an unreadable version is reported once, however often it is read', async (t) => {
  const db = await createTestDatabase(t);
  const told: object[] = [];
  const logger = { error: (facts: object) => told.push(facts) } as unknown as Logger;
  const replica = createConfigurationReplica({ db, parse, intervalMs: 3_600_000, clock: () => 0, logger });
  for (const version of [1, 1, 1, 2, 2])
    replica.apply({ configurationId: 'home', version, document: 'broken' });
  t.deepEqual(
    told.map((facts) => (facts as { version: number }).version),
    [1, 2],
  );
});

test('the configurations of searches follow versions and schedules, and stay the same array without changes', async (t) => {
  const db = await createTestDatabase(t);
  const clock = { nowMs: 0 };
  const replica = await startNode(t, db, clock);
  const none = replica.searching();
  replica.apply({ configurationId: 'lists', version: 1, document: {} });
  t.is(replica.searching(), none);
  const apply = (version: number, document?: Document) =>
    replica.apply({ configurationId: 'home', version, document });
  const redirects = () => replica.searching().map(({ search }) => search.redirect);
  apply(1, { redirect: '/one' });
  apply(2, { redirect: '/two', from: 1_000, until: 2_000 });
  t.deepEqual(redirects(), ['/one']);
  t.is(replica.searching(), replica.searching());
  for (const [nowMs, redirect] of [
    [999, '/one'],
    [1_000, '/two'],
    [1_999, '/two'],
    [2_000, '/one'],
    [1_500, '/two'],
  ] as const) {
    clock.nowMs = nowMs;
    t.deepEqual(redirects(), [redirect], `at ${nowMs}`);
  }
  apply(3, {});
  t.deepEqual(redirects(), [], 'a version of lists alone');
  apply(4, { redirect: '/four' });
  apply(5);
  t.deepEqual(redirects(), [], 'deleted');
});
