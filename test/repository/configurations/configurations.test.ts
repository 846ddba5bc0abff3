import test from 'ava';
import { sql } from 'kysely';
import {
  deleteConfiguration,
  findConfiguration,
  findConfigurationVersion,
  listConfigurationIds,
  listConfigurationVersions,
  listVersionsAfter,
  restoreConfiguration,
  saveConfiguration,
} from '../../../src/repository/configurations/configurations.ts';
import { createTestDatabase } from '../../support/database.ts';

const write = (max: number, more = {}) => ({ configurationId: 'home', document: { max }, ...more });

test('every save makes a version, and the last is current', async (t) => {
  const db = await createTestDatabase(t);
  t.is(await saveConfiguration(db, write(1, { clientId: 'editor', comment: 'first' })), 1);
  t.is(await saveConfiguration(db, write(2)), 2);
  t.like(await findConfiguration(db, 'home'), { version: 2, document: { max: 2 }, deleted: false });
  const versions = await listConfigurationVersions(db, 'home', { limit: 10 });
  t.deepEqual(
    versions.map(({ version, document, clientId, comment }) => ({ version, document, clientId, comment })),
    [
      { version: 2, document: { max: 2 }, clientId: undefined, comment: undefined },
      { version: 1, document: { max: 1 }, clientId: 'editor', comment: 'first' },
    ],
  );
});

test('a deletion is a version, and a later save goes on counting', async (t) => {
  const db = await createTestDatabase(t);
  await saveConfiguration(db, write(1));
  t.is(await deleteConfiguration(db, { configurationId: 'home' }), 2);
  t.is(await findConfiguration(db, 'home'), undefined);
  t.is(await deleteConfiguration(db, { configurationId: 'home' }), undefined);
  t.deepEqual(await listConfigurationIds(db), []);
  t.is((await findConfigurationVersion(db, 'home', 2))?.document, undefined);
  t.is(await saveConfiguration(db, write(3)), 3);
  t.deepEqual(await listConfigurationIds(db), ['home']);
});

test('a change names the environments that the configuration has and had', async (t) => {
  const db = await createTestDatabase(t);
  const save = (environments?: string[]) =>
    saveConfiguration(db, { configurationId: 'home', document: { environments } });
  await save(['news', 'shop']);
  await save(['shop']);
  await save(['video']);
  await save();
  await save(['shop']);
  await deleteConfiguration(db, { configurationId: 'home' });
  const { rows } = await sql<{ named: string }>`
    select data ->> 'environments' as named from changes order by (data ->> 'version')::int`.execute(
    db.kysely,
  );
  t.deepEqual(
    rows.map(({ named }) => JSON.parse(named)),
    [['news', 'shop'], ['news', 'shop'], ['shop', 'video'], [], [], ['shop']],
  );
});

const expectations = [
  { title: 'the current version', saves: 2, deleted: false, expectedVersion: 2, result: 3 },
  { title: 'an older version', saves: 2, deleted: false, expectedVersion: 1, result: 'VERSION_CONFLICT' },
  {
    title: 'none where there is one',
    saves: 1,
    deleted: false,
    expectedVersion: 0,
    result: 'VERSION_CONFLICT',
  },
  { title: 'none where there is none', saves: 0, deleted: false, expectedVersion: 0, result: 1 },
  { title: 'none after a deletion', saves: 1, deleted: true, expectedVersion: 0, result: 3 },
  {
    title: 'one where there is none',
    saves: 0,
    deleted: false,
    expectedVersion: 4,
    result: 'VERSION_CONFLICT',
  },
];

for (const { title, saves, deleted, expectedVersion, result } of expectations) {
  test(`a save that expects ${title} gives ${result}`, async (t) => {
    const db = await createTestDatabase(t);
    for (let count = 0; count < saves; count += 1) await saveConfiguration(db, write(count));
    if (deleted) await deleteConfiguration(db, { configurationId: 'home' });
    const outcome = await saveConfiguration(db, write(9, { expectedVersion })).catch((error) => error.reason);
    t.is(outcome, result);
  });
}

test('a deletion that expects another version is refused and names the current one', async (t) => {
  const db = await createTestDatabase(t);
  await saveConfiguration(db, write(1));
  const refusal = await t.throwsAsync(
    deleteConfiguration(db, { configurationId: 'home', expectedVersion: 7 }),
  );
  t.like(refusal, { reason: 'VERSION_CONFLICT', metadata: { current_version: '1', expected_version: '7' } });
  t.is(await deleteConfiguration(db, { configurationId: 'home', expectedVersion: 1 }), 2);
});

test('of two saves that expect the same version one wins', async (t) => {
  const db = await createTestDatabase(t);
  await saveConfiguration(db, write(1));
  const saves = [2, 3].map((max) => saveConfiguration(db, write(max, { expectedVersion: 1 })));
  const outcomes = await Promise.allSettled(saves);
  t.deepEqual(outcomes.map((outcome) => outcome.status).sort(), ['fulfilled', 'rejected']);
});

test('versions are listed page by page, newest first', async (t) => {
  const db = await createTestDatabase(t);
  for (let max = 1; max <= 5; max += 1) await saveConfiguration(db, write(max));
  const page = await listConfigurationVersions(db, 'home', { beforeVersion: 4, limit: 2 });
  t.deepEqual(
    page.map((row) => row.version),
    [3, 2],
  );
});

test('every version has its place in the order of commit, deletions too', async (t) => {
  const db = await createTestDatabase(t);
  t.deepEqual(await listVersionsAfter(db, 0, 9), []);
  await saveConfiguration(db, write(1));
  await saveConfiguration(db, { configurationId: 'detail', document: {} });
  await saveConfiguration(db, write(2));
  await deleteConfiguration(db, { configurationId: 'home' });
  const all = await listVersionsAfter(db, 0, 9);
  t.deepEqual(
    all.map(({ configurationId, version, document }) => [configurationId, version, document]),
    [
      ['home', 1, { max: 1 }],
      ['detail', 1, {}],
      ['home', 2, { max: 2 }],
      ['home', 3, undefined],
    ],
  );
  t.deepEqual(await listVersionsAfter(db, 0, 2), all.slice(0, 2));
  t.deepEqual(await listVersionsAfter(db, all[1].number, 9), all.slice(2));
  t.deepEqual(await listVersionsAfter(db, all[3].number, 9), []);
});

test('a save that is refused is no change', async (t) => {
  const db = await createTestDatabase(t);
  await saveConfiguration(db, write(1));
  const [{ number }] = await listVersionsAfter(db, 0, 9);
  await t.throwsAsync(saveConfiguration(db, write(2, { expectedVersion: 7 })));
  await deleteConfiguration(db, { configurationId: 'unknown' });
  t.deepEqual(await listVersionsAfter(db, number, 9), []);
  await saveConfiguration(db, write(2));
  t.like(await listVersionsAfter(db, number, 9), [{ version: 2 }]);
});

test('an earlier version is written again byte for byte, as a new one', async (t) => {
  const db = await createTestDatabase(t);
  await saveConfiguration(db, { configurationId: 'home', document: { b: 1, a: [1.0, 'ü'] } });
  await saveConfiguration(db, write(2));
  t.is(await restoreConfiguration(db, { configurationId: 'home', version: 1, expectedVersion: 2 }), 3);
  const texts = await db.pool.query(
    'select version, document::text from configuration_versions order by version',
  );
  t.is(texts.rows[2].document, texts.rows[0].document);
  t.is(await restoreConfiguration(db, { configurationId: 'home', version: 9 }), undefined);
  await t.throwsAsync(restoreConfiguration(db, { configurationId: 'home', version: 1, expectedVersion: 2 }));
});
