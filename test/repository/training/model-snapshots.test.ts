import test from 'ava';
import { sql } from 'kysely';
import {
  findModelVersion,
  findServedVersion,
  listModelVersions,
  publishModels,
  rollBackModels,
} from '../../../src/repository/training/model-snapshots.ts';
import {
  claimTraining,
  giveBackTraining,
  insertTraining,
  type Training,
} from '../../../src/repository/training/trainings.ts';
import { createTestDatabase } from '../../support/database.ts';

function artefactOf(byteLength: number, seed: number): SharedArrayBuffer {
  const bytes = new Uint8Array(new SharedArrayBuffer(byteLength));
  for (let i = 0; i < byteLength; i++) bytes[i] = (i * 31 + seed) % 251;
  return bytes.buffer;
}

test('versions come back byte for byte, and the newest is served', async (t) => {
  const db = await createTestDatabase(t);
  t.is(await findServedVersion(db, 'shop'), undefined);
  for (const [byteLength, version] of [
    [9_000_001, 1],
    [100, 2],
  ]) {
    const artefact = artefactOf(byteLength, version);
    t.is(await publishModels(db, 'shop', artefact, { lifts: false }), version);
    const found = await findModelVersion(db, 'shop', version);
    t.true(Buffer.from(found!).equals(Buffer.from(artefact)));
    t.deepEqual(await findServedVersion(db, 'shop'), { environment: 'shop', version, held: false });
  }
  t.is(await findModelVersion(db, 'other', 1), undefined);
});

test('a rollback is possible version by version, as far as versions are kept', async (t) => {
  const db = await createTestDatabase(t);
  t.is(await rollBackModels(db, 'shop'), undefined);
  for (let version = 1; version <= 5; version++)
    await publishModels(db, 'shop', artefactOf(10, version), { lifts: false });
  t.is(await findModelVersion(db, 'shop', 2), undefined);
  t.is(await rollBackModels(db, 'shop'), 4);
  t.is(await rollBackModels(db, 'shop'), 3);
  t.is(await rollBackModels(db, 'shop'), undefined);
  t.deepEqual(await findServedVersion(db, 'shop'), { environment: 'shop', version: 3, held: true });
  t.is(await publishModels(db, 'shop', artefactOf(10, 6), { lifts: false }), undefined);
  t.is(await publishModels(db, 'shop', artefactOf(10, 6), { lifts: true }), 6);
  t.deepEqual(await findServedVersion(db, 'shop'), { environment: 'shop', version: 6, held: false });
});

test('any kept version can be restored, but not the served one', async (t) => {
  const db = await createTestDatabase(t);
  for (let version = 1; version <= 5; version++)
    await publishModels(db, 'shop', artefactOf(10, version), { lifts: false });
  const restore = (version: number) => rollBackModels(db, 'shop', {}, version);
  t.is(await restore(3), 3);
  t.deepEqual(await findServedVersion(db, 'shop'), { environment: 'shop', version: 3, held: true });
  t.is(await restore(3), undefined);
  t.is(await restore(5), 5);
  t.is(await restore(1), undefined);
  t.is(await restore(6), undefined);
});

test('a rollback leads to a version that was served, not to one that was rolled back', async (t) => {
  const db = await createTestDatabase(t);
  const publish = (version: number, lifts: boolean) =>
    publishModels(db, 'shop', artefactOf(10, version), { lifts });
  for (let version = 1; version <= 5; version++) await publish(version, false);
  t.is(await rollBackModels(db, 'shop'), 4);
  t.is(await rollBackModels(db, 'shop'), 3);
  t.is(await publish(6, true), 6);
  t.deepEqual(await listModelVersions(db, 'shop'), [6, 3]);
  t.is(await rollBackModels(db, 'shop'), 3);
  t.is(await publish(7, true), 7);
  t.is(await publish(8, false), 8);
  t.deepEqual(await listModelVersions(db, 'shop'), [8, 7, 3]);
});

test('nodes that publish at once get versions of their own, and the newest is served', async (t) => {
  const db = await createTestDatabase(t);
  const versions = await Promise.all(
    [1, 2, 3].map((seed) => publishModels(db, 'shop', artefactOf(10, seed), { lifts: false })),
  );
  t.deepEqual(await listModelVersions(db, 'shop'), [3, 2, 1]);
  t.is((await findServedVersion(db, 'shop'))!.version, 3);
  t.true(versions.includes(3));
  const told = versions.filter((version) => version !== undefined);
  t.is(new Set(told).size, told.length);
  for (const version of [1, 2, 3]) {
    const place = versions.indexOf(version);
    if (place < 0) continue;
    const found = await findModelVersion(db, 'shop', version);
    t.true(Buffer.from(found!).equals(Buffer.from(artefactOf(10, place + 1))));
  }
});

test('incomplete versions displace none that a rollback can lead to', async (t) => {
  const db = await createTestDatabase(t);
  await publishModels(db, 'shop', artefactOf(10, 1), { lifts: false });
  await db.pool.query(
    `insert into model_versions (environment, version, byte_length, chunk_count)
     select 'shop', version, 10, 1 from generate_series(2, 4) as version`,
  );
  t.is(await publishModels(db, 'shop', artefactOf(10, 5), { lifts: false }), 5);
  t.deepEqual(await listModelVersions(db, 'shop'), [5, 1]);
  t.is(await rollBackModels(db, 'shop'), 1);
  t.true(Buffer.from((await findModelVersion(db, 'shop', 1))!).equals(Buffer.from(artefactOf(10, 1))));
});

test('an incomplete version is never served and is deleted', async (t) => {
  const db = await createTestDatabase(t);
  await publishModels(db, 'shop', artefactOf(10, 1), { lifts: false });
  await db.pool.query(
    `insert into model_versions (environment, version, byte_length, chunk_count) values ('shop', 2, 10, 1)`,
  );
  t.is((await findServedVersion(db, 'shop'))!.version, 1);
  t.is(await publishModels(db, 'shop', artefactOf(10, 3), { lifts: false }), 3);
  t.deepEqual(await listModelVersions(db, 'shop'), [3, 1]);
  t.is(await rollBackModels(db, 'shop'), 1);
  for (const version of [4, 5]) {
    t.is(await publishModels(db, 'shop', artefactOf(10, version), { lifts: true }), version);
  }
  const { rows } = await db.pool.query('select version from model_versions order by version');
  t.deepEqual(
    rows.map(({ version }) => version),
    [1, 4, 5],
  );
});

test('a version that could not be stored uses no space', async (t) => {
  const db = await createTestDatabase(t);
  await publishModels(db, 'shop', artefactOf(10, 1), { lifts: false });
  await sql`
    create function refuse() returns trigger language plpgsql as $$ begin raise exception 'no room'; end $$;
    create trigger refuse before insert on model_snapshots
      for each row when (new.chunk > 0) execute function refuse()`.execute(db.kysely);
  for (let attempt = 1; attempt <= 2; attempt++)
    await t.throwsAsync(publishModels(db, 'shop', artefactOf(9_000_001, 2), { lifts: false }));
  const { rows } = await sql`select version from model_snapshots`.execute(db.kysely);
  t.deepEqual(rows, [{ version: 1 }]);
  t.deepEqual(await findServedVersion(db, 'shop'), { environment: 'shop', version: 1, held: false });
});

test('a version of a node that lost its training is not served', async (t) => {
  const db = await createTestDatabase(t);
  const { trainingId } = await insertTraining(db, 'shop', 'demand');
  const paused = (await claimTraining(db, ['shop'], 'paused node'))!;
  await giveBackTraining(db, paused, { message: 'Fell silent.', isInterrupted: false });
  await db.pool.query('update trainings set heartbeat_at = null');
  const again = (await claimTraining(db, ['shop'], 'other node'))!;
  const publish = ({ node, attempts }: Training, seed: number) =>
    publishModels(db, 'shop', artefactOf(10, seed), {
      lifts: true,
      claim: { trainingId, node: node!, attempts },
    });
  t.is(await publish(paused, 1), undefined);
  t.is(await findServedVersion(db, 'shop'), undefined);
  t.is(await publish(again, 2), 2);
  t.is(await publish(paused, 3), undefined, 'nor later, when it would be the newest');
  t.is((await findServedVersion(db, 'shop'))!.version, 2);
  t.deepEqual(await listModelVersions(db, 'shop'), [2], 'a rollback cannot lead to it');
});
