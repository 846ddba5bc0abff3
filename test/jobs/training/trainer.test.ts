import { setTimeout as delay } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { sql } from 'kysely';
import { createTrainer, type TrainerOptions } from '../../../src/jobs/training/trainer.ts';
import { findReason, usualSchedule } from '../../../src/jobs/training/triggers.ts';
import { stringCount } from '../../../src/ranking/models/arrays/string-table.ts';
import { unpackModels } from '../../../src/ranking/models/artefact.ts';
import { createDatabase } from '../../../src/repository/database.ts';
import { findServedVersion, rollBackModels } from '../../../src/repository/training/model-snapshots.ts';
import { listTrainings } from '../../../src/repository/training/trainings.ts';
import { createLogger } from '../../../src/servers/telemetry/logger.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { commitEvents } from '../../support/events.ts';
import { upsertItem } from '../../support/items.ts';

type Served = { environment: string; itemCount: number };

const stock = (db: TestDatabase, itemId: string, environment = 'one') =>
  upsertItem(db, { environment, itemType: 'article', itemId, document: {} });

/**
 * A node, with the models that it serves, in order. A node that waits has read the models before.
 */
async function startNode(
  t: ExecutionContext,
  db: TestDatabase,
  options: Partial<TrainerOptions> = {},
  wait?: () => Promise<unknown>,
) {
  const served: Served[] = [];
  /** Like a node's pool, which lives as long as the node. */
  const pool = createDatabase(db.connection, { poolSize: 4 });
  const trainer = createTrainer({
    db: pool,
    connection: db.connection,
    environments: ['one', 'two'],
    node: 'node',
    threadCount: 1,
    serve: async (environment, buffer) => void served.push({ environment, itemCount: countItems(buffer) }),
    clock: Date.now,
    logger: createLogger('silent'),
    ...options,
  });
  let isStopped = false;
  const stop = async () => {
    if (isStopped) return;
    isStopped = true;
    await trainer.stop();
    await pool.close();
  };
  t.teardown(stop);
  if (wait) await trainer.prefetch();
  await wait?.();
  await trainer.start();
  return { served, stop, request: trainer.request };
}

function countItems(buffer: SharedArrayBuffer): number {
  const unpacked = unpackModels(buffer);
  if (!unpacked.ok) throw new Error(unpacked.reason);
  return stringCount(unpacked.models.itemKeys);
}

/** AVA limits the wait. */
async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await delay(50);
}

/** The node of an environment with one item, after its first training. */
async function startTrained(t: ExecutionContext) {
  const db = await createTestDatabase(t);
  await stock(db, 'a');
  const environments = ['one'];
  const node = await startNode(t, db, { environments });
  await until(() => hasEnded(db, 'one'));
  return { db, environments, node };
}

const hasEnded = async (db: TestDatabase, environment: string, count = 1) =>
  (await listTrainings(db, environment, 100)).filter(({ endedAt }) => endedAt !== null).length >= count;

/** The pause after a training depends on the speed of the machine. */
const endRest = (db: TestDatabase) =>
  sql`
    update trainings set started_at = now() - interval '30 minutes', ended_at = now() - interval '30 minutes'
    where ended_at is not null`.execute(db.kysely);

test('a start trains every environment quickly, and learns its blend afterwards', async (t) => {
  const db = await createTestDatabase(t);
  await stock(db, 'a');
  const { served } = await startNode(t, db);
  const all = [
    { environment: 'one', itemCount: 1 },
    { environment: 'two', itemCount: 0 },
  ];
  t.deepEqual(served, all);
  await until(() => served.length >= 3);
  await until(() => hasEnded(db, 'one'));
  const training = (await listTrainings(db, 'one', 10)).at(-1);
  t.like(training, { state: 'published', reason: 'first', progress: 1, version: 1, itemCount: 1 });
});

test('an empty environment is served at once, and trained when its first item or event arrives', async (t) => {
  const db = await createTestDatabase(t);
  const environments = ['one', 'two'];
  await stock(db, 'a', 'one');
  const { served } = await startNode(t, db, { environments });
  await until(() => hasEnded(db, 'one'));
  t.deepEqual(await listTrainings(db, 'two', 10), []);
  await stock(db, 'a', 'two');
  await until(() => hasEnded(db, 'two'));
  t.like((await listTrainings(db, 'two', 10)).at(-1), { reason: 'first', version: 1, itemCount: 1 });
  t.deepEqual(
    served.filter(({ environment }) => environment === 'two').map(({ itemCount }) => itemCount),
    [0, 1],
  );
});

test('a start does not wait for the first training of a large environment', async (t) => {
  const db = await createTestDatabase(t);
  await stock(db, 'a');
  let open = () => {};
  const isReady = new Promise<void>((resolve) => {
    open = resolve;
  });
  const taken: string[] = [];
  const serve = async (environment: string) => {
    if (environment === 'one') await isReady;
    taken.push(environment);
  };
  await startNode(t, db, { environments: ['one'], serve, isLarge: () => true });
  t.deepEqual(taken, []);
  open();
  await until(() => taken.length > 0);
  t.is(taken[0], 'one');
});

test('the next start loads the published models without training', async (t) => {
  const db = await createTestDatabase(t);
  await stock(db, 'a');
  const before = await startNode(t, db, { environments: ['one'] });
  await until(() => hasEnded(db, 'one'));
  await before.stop();
  const quick: string[] = [];
  const { served } = await startNode(t, db, { node: 'next', threadCount: 0 });
  for (const { environment } of served) quick.push(environment);
  t.deepEqual(quick, ['one', 'two']);
  t.deepEqual(
    (await listTrainings(db, 'one', 10)).map(({ node }) => node),
    ['node'],
  );
});

test('a start loads the models served by then, even if it read others before', async (t) => {
  const { db, environments, node: other } = await startTrained(t);
  const options = { environments, node: 'late', threadCount: 0 };
  const nothing = async () => undefined;
  t.is((await startNode(t, db, options, nothing)).served[0].itemCount, 1);
  await stock(db, 'b');
  const publish = async () => {
    await other.request('one', 'demand');
    await until(() => other.served.at(-1)!.itemCount === 2);
  };
  t.is((await startNode(t, db, options, publish)).served[0].itemCount, 2);
});

test('a start uses the models that it has read in advance', async (t) => {
  const { db, environments, node: other } = await startTrained(t);
  await other.stop();
  /** Models read now would be refused, and a quick training would know two items. */
  const damage = async () => {
    await sql`update model_snapshots set bytes = '\\x00'`.execute(db.kysely);
    await stock(db, 'b');
  };
  const options = { environments, node: 'late', threadCount: 0 };
  t.is((await startNode(t, db, options, damage)).served[0].itemCount, 1);
  t.is((await startNode(t, db, { ...options, node: 'later' })).served[0].itemCount, 2);
});

test('one of two nodes trains, and both serve the result', async (t) => {
  const db = await createTestDatabase(t);
  await stock(db, 'a');
  const nodes = await Promise.all(
    ['a', 'b'].map((node) => startNode(t, db, { node, environments: ['one'] })),
  );
  await until(() => hasEnded(db, 'one'));
  const trainings = (await listTrainings(db, 'one', 10)).filter(({ reason }) => reason === 'first');
  t.deepEqual(
    trainings.map(({ state, version }) => [state, version]),
    [['published', 1]],
  );
  await until(() => nodes.every(({ served }) => served.length >= 2));
  await stock(db, 'b');
  await nodes[0].request('one', 'demand');
  await until(() => nodes.every(({ served }) => served.at(-1)!.itemCount === 2));
});

test('changed items start a training, an unchanged environment does not', async (t) => {
  const db = await createTestDatabase(t);
  await Promise.all([stock(db, 'a', 'one'), stock(db, 'a', 'two')]);
  await startNode(t, db);
  await until(async () => (await hasEnded(db, 'one')) && (await hasEnded(db, 'two')));
  await stock(db, 'b', 'two');
  await endRest(db);
  await until(async () => (await listTrainings(db, 'two', 10)).some(({ reason }) => reason === 'items'));
  t.false((await listTrainings(db, 'one', 10)).some(({ reason }) => reason === 'events'));
});

test('a rollback applies to all nodes until a training is requested', async (t) => {
  const db = await createTestDatabase(t);
  await stock(db, 'a');
  const environments = ['one'];
  const { served, request } = await startNode(t, db, { environments });
  await until(() => hasEnded(db, 'one'));
  await stock(db, 'b');
  await request('one', 'demand');
  await until(() => served.at(-1)!.itemCount === 2);
  const { version } = (await findServedVersion(db, 'one'))!;
  t.is(await rollBackModels(db, 'one'), version - 1);
  await until(async () => !(await hasPending(db, 'one')) && served.at(-1)!.itemCount === 1);
  await request('one', 'demand');
  await until(() => served.at(-1)!.itemCount === 2);
  t.false((await findServedVersion(db, 'one'))!.held);
});

const hasPending = async (db: TestDatabase, environment: string) =>
  (await listTrainings(db, environment, 10)).some(({ endedAt }) => endedAt === null);

test('damaged models are refused: those in use are kept, and new ones trained', async (t) => {
  const { db, environments, node: first } = await startTrained(t);
  await first.stop();
  const countBefore = first.served.length;
  await endRest(db);
  await sql`update model_snapshots set bytes = set_byte(bytes, 40, get_byte(bytes, 40) # 1)`.execute(
    db.kysely,
  );
  const { served } = await startNode(t, db, { environments, node: 'next' });
  t.deepEqual(served, [{ environment: 'one', itemCount: 1 }]);
  await until(() => served.length >= 2);
  t.true((await findServedVersion(db, 'one'))!.version > 1);
  t.is(first.served.length, countBefore);
});

test('with damaged models a start loads the previous version, until new ones are trained', async (t) => {
  const { db, environments, node: first } = await startTrained(t);
  await stock(db, 'b');
  await first.request('one', 'demand');
  await until(() => first.served.at(-1)!.itemCount === 2);
  await until(async () => !(await hasPending(db, 'one')));
  await first.stop();
  const { version } = (await findServedVersion(db, 'one'))!;
  await sql`
    update model_snapshots set bytes = set_byte(bytes, 40, get_byte(bytes, 40) # 1)
    where version = ${version}`.execute(db.kysely);
  const { served, stop } = await startNode(t, db, { environments, node: 'next', threadCount: 0 });
  t.is(served.length, 1);
  t.is((await findServedVersion(db, 'one'))!.version, version);
  await stop();
  await endRest(db);
  const trained = await startNode(t, db, { environments, node: 'last' });
  await until(async () => (await findServedVersion(db, 'one'))!.version > version);
  await until(() => trained.served.length >= 2);
  t.is(trained.served.at(-1)!.itemCount, 2);
});

test('after a rollback no training starts by itself, even if a node has refused models', async (t) => {
  const { db, environments, node: first } = await startTrained(t);
  await first.request('one', 'demand');
  await until(
    async () => (await findServedVersion(db, 'one'))!.version > 1 && !(await hasPending(db, 'one')),
  );
  await first.stop();
  await endRest(db);
  const about = { environmentCount: 1, isRefused: true, schedule: usualSchedule, nowMs: Date.now() };
  t.like(await findReason(db, environments[0], about), { reason: 'first' });
  await rollBackModels(db, 'one');
  t.is(await findReason(db, environments[0], about), undefined);
});

test('a failed training is retried, and the previous models are kept', async (t) => {
  const db = await createTestDatabase(t);
  await stock(db, 'a');
  await sql`create function refuse() returns trigger language plpgsql as
    $$ begin raise exception 'no room'; end $$`.execute(db.kysely);
  await sql`create trigger refuse before insert on model_versions execute function refuse()`.execute(
    db.kysely,
  );
  const { served } = await startNode(t, db, { environments: ['one'] });
  await until(async () => (await listTrainings(db, 'one', 1))[0]?.attempts >= 2);
  t.is(served.length, 1);
  await sql`drop trigger refuse on model_versions`.execute(db.kysely);
  await until(() => served.length >= 2);
  t.is((await findServedVersion(db, 'one'))!.version, 1);
});

test('a node that stops during a training leaves it to the next node', async (t) => {
  const db = await createTestDatabase(t);
  const environments = ['one'];
  const { stop, request } = await startNode(t, db, { environments });
  await request('one', 'demand');
  await stop();
  await startNode(t, db, { environments, node: 'next' });
  await until(() => hasEnded(db, 'one'));
  t.false((await listTrainings(db, 'one', 10)).some(({ state }) => state === 'failed'));
});

const views = (count: number) =>
  Array.from({ length: count }, (_, i) => ({
    ...{ environment: 'one', eventType: 'detail_pageview', occurredAtMs: Date.now() - 60_000 + i },
    ...{
      deviceId: `device-${i % 40}`,
      itemType: 'article',
      itemId: `item-${i % 7}`,
      robot: false,
      details: {},
    },
  }));

test('after an import, models with the default blend serve until the blend is learned', async (t) => {
  const { db, node } = await startTrained(t);
  await commitEvents(db, views(120));
  await until(() => node.served.length >= 4);
  t.deepEqual(
    node.served.slice(2).map(({ itemCount }) => itemCount),
    [8, 8],
  );
  await until(() => hasEnded(db, 'one', 2));
  t.is((await findServedVersion(db, 'one'))!.version, 3);
  t.like((await listTrainings(db, 'one', 1))[0], { reason: 'events', version: 3 });
});

test('a log that has grown several times ends the rest after a training', async (t) => {
  const { db, node } = await startTrained(t);
  await node.stop();
  await sql`update trainings set started_at = now() - interval '10 minutes', ended_at = now()`.execute(
    db.kysely,
  );
  const about = { environmentCount: 1, isRefused: false, schedule: usualSchedule, nowMs: Date.now() };
  await commitEvents(db, views(90));
  t.is(await findReason(db, 'one', about), undefined);
  await commitEvents(db, views(10));
  t.like(await findReason(db, 'one', about), { reason: 'events' });
});
