import { setTimeout as delay } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { stringCount } from '../../src/models/arrays/string-table.ts';
import { unpackModels } from '../../src/models/artefact.ts';
import { upsertItem } from '../../src/repository/items.ts';
import { findModelSnapshot } from '../../src/repository/model-snapshots.ts';
import { createLogger } from '../../src/telemetry/logger.ts';
import { createTrainer, type TrainerOptions } from '../../src/training/trainer.ts';
import { createTestDatabase } from '../support/database.ts';

type Published = { environment: string; itemCount: number };

async function start(t: ExecutionContext, options: Partial<TrainerOptions>) {
  const db = await createTestDatabase(t);
  const published: Published[] = [];
  const trainer = createTrainer({
    connection: db.connection,
    environments: ['one', 'two'],
    readState: async () => 'state',
    publish: async (environment, { buffer }) =>
      void published.push({ environment, itemCount: countItems(buffer) }),
    findSaved: (environment) => findModelSnapshot(db, environment),
    clock: Date.now,
    logger: createLogger('silent'),
    ...options,
  });
  t.teardown(trainer.stop);
  await upsertItem(db, { environment: 'one', itemType: 'article', itemId: 'a', document: {} });
  await trainer.start();
  return { published, trainer };
}

function countItems(buffer: SharedArrayBuffer): number {
  const unpacked = unpackModels(buffer);
  return unpacked.ok ? stringCount(unpacked.models.itemKeys) : -1;
}

/** Rests between trainings last some seconds. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await delay(20);
}

test('a start trains every environment, and learns its blend afterwards', async (t) => {
  const { published } = await start(t, {});
  const all = [
    { environment: 'one', itemCount: 1 },
    { environment: 'two', itemCount: 0 },
  ];
  t.deepEqual(published, all);
  await until(() => published.length === 4);
  t.deepEqual(published.slice(2), all);
});

test('the next start takes up what was saved, and trains only what was not', async (t) => {
  const db = await createTestDatabase(t);
  const trained: string[] = [];
  const options = { connection: db.connection, readState: async () => 'state', clock: Date.now };
  const begin = async (environments: string[]) => {
    const published: string[] = [];
    const trainer = createTrainer({
      ...options,
      environments,
      findSaved: (environment) => findModelSnapshot(db, environment),
      publish: async (environment, artefact) => {
        published.push(environment);
        if ('itemCount' in artefact) trained.push(environment);
      },
      logger: createLogger('silent'),
    });
    t.teardown(trainer.stop);
    await trainer.start();
    return published;
  };
  t.deepEqual(await begin(['one']), ['one']);
  await until(() => trained.length === 2);
  t.deepEqual(await begin(['one', 'two']), ['one', 'two']);
  t.deepEqual(trained.slice(0, 3), ['one', 'one', 'two']);
});

test('only what has changed is trained again', async (t) => {
  let state = 0;
  let reads = 0;
  const { published } = await start(t, {
    readState: async (environment) => {
      reads += 1;
      return environment === 'two' ? String(state) : 'same';
    },
  });
  await until(() => published.length === 4);
  state = 1;
  await until(() => published.length === 5);
  const readsBefore = reads;
  await until(() => reads >= readsBefore + 2);
  t.deepEqual(
    published.map(({ environment }) => environment),
    ['one', 'two', 'one', 'two', 'two'],
  );
});

test('a training that fails is tried again, and does not keep the others from theirs', async (t) => {
  let failures = 1;
  const published: string[] = [];
  await start(t, {
    async publish(environment) {
      if (environment === 'one' && failures-- > 0) throw new Error('no room');
      published.push(environment);
    },
  });
  t.deepEqual(published, ['two']);
  await until(() => published.includes('one'));
  t.deepEqual(published.slice(0, 2), ['two', 'one']);
});

test('a stop ends the thread in the middle of its work', async (t) => {
  const { trainer } = await start(t, {});
  await t.notThrowsAsync(trainer.stop());
});
