import test from 'ava';
import { sql } from 'kysely';
import type { EventRow } from '../../../src/repository/event-row.ts';
import { commitEvents } from '../../../src/repository/events/events.ts';
import {
  claimTraining,
  countEventsAfter,
  endTraining,
  findTraining,
  findTrainingHistory,
  giveBackLostTrainings,
  giveBackTraining,
  insertTraining,
  listReadyTrainings,
  listTrainings,
  reportTraining,
  type Training,
} from '../../../src/repository/training/trainings.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';

const request = (db: TestDatabase, environment = 'shop') => insertTraining(db, environment, 'demand');

const claim = async (db: TestDatabase, node = 'a') =>
  (await claimTraining(db, (await request(db)).trainingId, node)) as Training;

const outcome = {
  state: 'published',
  decision: 'Better.',
  version: 1,
  itemCount: 2,
  eventCount: 3,
  questionCount: null,
  quality: null,
  servedQuality: null,
  untilSequence: 4,
  itemsSnapshot: '5:5:',
} as const;

test('an environment has one training queued, whoever asks', async (t) => {
  const db = await createTestDatabase(t);
  const asked = await Promise.all(Array.from({ length: 8 }, () => insertTraining(db, 'shop', 'events')));
  t.is(new Set(asked.map(({ trainingId }) => trainingId)).size, 1);
  t.not((await request(db, 'news')).trainingId, asked[0].trainingId);
  t.like(await request(db), { trainingId: asked[0].trainingId, reason: 'demand' });
});

test('an environment has one training running; the next one waits for it', async (t) => {
  const db = await createTestDatabase(t);
  const running = await claim(db);
  t.like(running, { state: 'running', attempts: 1, node: 'a' });
  t.is(await claimTraining(db, running.trainingId, 'b'), 'over');
  const { trainingId } = await request(db);
  t.is(await claimTraining(db, trainingId, 'b'), 'busy');
  t.deepEqual(await listReadyTrainings(db, ['shop']), []);
  await endTraining(db, running, outcome);
  t.deepEqual(await listReadyTrainings(db, ['shop']), [trainingId]);
  t.like(await claimTraining(db, trainingId, 'b'), { state: 'running', node: 'b' });
});

test('progress never goes back, and ends with the training', async (t) => {
  const db = await createTestDatabase(t);
  const running = await claim(db);
  t.true(await reportTraining(db, running, 'events', 0.5));
  t.true(await reportTraining(db, running, 'blend', 0.25));
  t.like(await findTraining(db, 'shop', running.trainingId), { stage: 'blend', progress: 0.5 });
  await endTraining(db, running, outcome);
  t.like(await findTraining(db, 'shop', running.trainingId), { ...outcome, progress: 1 });
  t.false(await reportTraining(db, running, 'events', 0.75));
});

test('a training is begun three times at most', async (t) => {
  const db = await createTestDatabase(t);
  const failure = { message: 'no room', isInterrupted: false };
  const { trainingId } = await request(db);
  for (const again of [true, true, false]) {
    const running = (await claimTraining(db, trainingId, 'a')) as Training;
    t.is(await giveBackTraining(db, running, failure), again);
  }
  t.like(await findTraining(db, 'shop', trainingId), { state: 'failed', attempts: 3, decision: 'no room' });
});

test('a node that stops has not tried', async (t) => {
  const db = await createTestDatabase(t);
  const running = await claim(db);
  t.true(await giveBackTraining(db, running, { message: 'stopped', isInterrupted: true }));
  t.like(await findTraining(db, 'shop', running.trainingId), { state: 'queued', attempts: 0 });
});

test('what a silent node ran waits again, and its late word is not heard', async (t) => {
  const db = await createTestDatabase(t);
  const running = await claim(db);
  t.deepEqual(await giveBackLostTrainings(db), []);
  await sql`update trainings set heartbeat_at = now() - interval '2 minutes'`.execute(db.kysely);
  t.deepEqual(await giveBackLostTrainings(db), [running.trainingId]);
  const again = (await claimTraining(db, running.trainingId, 'b')) as Training;
  await endTraining(db, running, outcome);
  t.like(await findTraining(db, 'shop', running.trainingId), { state: 'running', node: 'b' });
  await endTraining(db, again, { ...outcome, version: 2 });
  t.like(await findTraining(db, 'shop', running.trainingId), { state: 'published', version: 2 });
});

test('the history tells the last training from the last that learnt', async (t) => {
  const db = await createTestDatabase(t);
  t.deepEqual(await findTrainingHistory(db, 'shop'), {
    isPending: false,
    last: undefined,
    learnt: undefined,
  });
  await endTraining(db, await claim(db), outcome);
  t.like((await findTrainingHistory(db, 'shop')).learnt, {
    untilSequence: 4,
    itemsSnapshot: '5:5:',
    eventCount: 3,
  });
  const { trainingId } = await request(db);
  t.true((await findTrainingHistory(db, 'shop')).isPending);
  for (let attempt = 0; attempt < 3; attempt++) {
    const running = (await claimTraining(db, trainingId, 'a')) as Training;
    await giveBackTraining(db, running, { message: 'no', isInterrupted: false });
  }
  const { last, learnt, isPending } = await findTrainingHistory(db, 'shop');
  t.deepEqual([last!.isLearnt, learnt!.untilSequence, isPending], [false, 4, false]);
});

test('trainings are listed newest first, of their own environment, and not for ever', async (t) => {
  const db = await createTestDatabase(t);
  await sql`
    insert into trainings (environment, reason, state, requested_at, ended_at)
    select 'shop', 'events', 'kept', now() - make_interval(hours => n), now() from generate_series(1, 300) as n`.execute(
    db.kysely,
  );
  await request(db, 'news');
  const { trainingId } = await request(db);
  const listed = await listTrainings(db, 'shop', 1_000);
  t.is(listed[0].trainingId, trainingId);
  t.true(listed.length < 210);
  const [third] = await listTrainings(db, 'shop', 1, listed[1].trainingId);
  t.is(third.trainingId, listed[2].trainingId);
  t.deepEqual(await listTrainings(db, 'shop', 1, listed.at(-1)!.trainingId), []);
  t.is(await findTraining(db, 'news', trainingId), undefined);
  t.is(await findTraining(db, 'shop', 'no uuid'), undefined);
});

test('new events are counted up to what is enough, and fewer than that only found', async (t) => {
  const db = await createTestDatabase(t);
  const event = (environment: string): EventRow => {
    const moment = { occurredAtMs: Date.now(), robot: false, details: {} };
    return {
      environment,
      eventType: 'detail_pageview',
      deviceId: 'd',
      itemType: 'a',
      itemId: 'x',
      ...moment,
    };
  };
  t.is(await countEventsAfter(db, 'one', 0, 5), 0);
  await commitEvents(db, ['one', 'one', 'one', 'two'].map(event));
  t.is(await countEventsAfter(db, 'one', 0, 2), 2);
  t.is(await countEventsAfter(db, 'one', 0, 4), 3);
  t.is(await countEventsAfter(db, 'one', 0, 5), 1);
  t.is(await countEventsAfter(db, 'none', 0, 5), 0);
});
