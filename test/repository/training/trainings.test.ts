import test from 'ava';
import { sql } from 'kysely';
import type { EventRow } from '../../../src/repository/event-row.ts';
import { listEventRanges, positionAfter } from '../../../src/repository/events/event-ranges.ts';
import { positionOf } from '../../../src/repository/feeds.ts';
import { listItemFeedEnds, upsertItems } from '../../../src/repository/items/items.ts';
import {
  countEventsAfter,
  countItemsChangedSince,
  findTrainingHistory,
} from '../../../src/repository/training/training-history.ts';
import {
  claimTraining,
  endTraining,
  findTraining,
  giveBackLostTrainings,
  giveBackTraining,
  insertDueTraining,
  insertTraining,
  listTrainings,
  reportTraining,
  type Training,
  type TrainingOutcome,
} from '../../../src/repository/training/trainings.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { commitEvents } from '../../support/events.ts';

const request = (db: TestDatabase, environment = 'shop') => insertTraining(db, environment, 'demand');

const begin = (db: TestDatabase, node = 'a') => claimTraining(db, ['shop'], node);

/** Requests a training and starts it. */
async function claim(db: TestDatabase): Promise<Training> {
  await request(db);
  return (await begin(db))!;
}

/** As if the pause after a failure were over. */
const endPause = (db: TestDatabase) =>
  sql`update trainings set heartbeat_at = now() - interval '1 minute'`.execute(db.kysely);

const outcome: TrainingOutcome = {
  state: 'published',
  decision: 'Better.',
  version: 1,
  itemCount: 2,
  eventCount: 3,
  questionCount: null,
  quality: null,
  servedQuality: null,
  hitCount: null,
  servedHitCount: null,
  eventsUntil: { '0.1': 4 },
  itemsUntil: { '0.0': 5, '3.0': 7 },
  learntBlend: {
    ...{ questionCount: 40, quality: 0.2, pageTypes: { detail: { trending: 1 } } },
    models: { trending: { weight: 0.5, alone: 0.1, without: 0.15 } },
  },
};

test('an environment has at most one queued training', async (t) => {
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
  t.is(await begin(db, 'b'), undefined);
  const { trainingId } = await request(db);
  t.is(await begin(db, 'b'), undefined);
  await endTraining(db, running, outcome);
  t.is(await claimTraining(db, ['news'], 'b'), undefined);
  t.like(await begin(db, 'b'), { trainingId, state: 'running', node: 'b' });
});

test('nodes that claim at once get different trainings', async (t) => {
  const db = await createTestDatabase(t);
  const environments = ['shop', 'news', 'film'];
  for (const environment of environments) await request(db, environment);
  const taken = await Promise.all(
    Array.from({ length: 8 }, (_, node) => claimTraining(db, environments, `${node}`)),
  );
  for (let left = 3 - taken.filter(Boolean).length; left > 0; left--)
    taken.push(await claimTraining(db, environments, 'last'));
  t.deepEqual(taken.flatMap((one) => one?.environment ?? []).sort(), environments.toSorted());
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

test('a training is tried at most three times', async (t) => {
  const db = await createTestDatabase(t);
  const failure = { message: 'no room', isInterrupted: false };
  const { trainingId } = await request(db);
  for (const again of [true, true, false]) {
    const running = (await begin(db))!;
    t.is(await giveBackTraining(db, running, failure), again);
    t.is(await begin(db), undefined, 'it waits longer each time');
    await endPause(db);
  }
  t.like(await findTraining(db, 'shop', trainingId), { state: 'failed', attempts: 3, decision: 'no room' });
});

test('an attempt on a node that stops does not count', async (t) => {
  const db = await createTestDatabase(t);
  const running = await claim(db);
  t.true(await giveBackTraining(db, running, { message: 'stopped', isInterrupted: true }));
  t.like(await findTraining(db, 'shop', running.trainingId), { state: 'queued', attempts: 0 });
});

test('a training of a silent node is queued again, and its late report is ignored', async (t) => {
  const db = await createTestDatabase(t);
  const running = await claim(db);
  t.deepEqual(await giveBackLostTrainings(db), []);
  await sql`update trainings set heartbeat_at = now() - interval '2 minutes'`.execute(db.kysely);
  t.deepEqual(await giveBackLostTrainings(db), [running.trainingId]);
  const again = (await begin(db, 'b'))!;
  await endTraining(db, running, outcome);
  t.like(await findTraining(db, 'shop', running.trainingId), { state: 'running', node: 'b' });
  await endTraining(db, again, { ...outcome, version: 2 });
  t.like(await findTraining(db, 'shop', running.trainingId), { state: 'published', version: 2 });
});

test('the history has the last training and the last that did not fail', async (t) => {
  const db = await createTestDatabase(t);
  const { lookedAt, ...none } = await findTrainingHistory(db, 'shop');
  t.true(lookedAt instanceof Date);
  t.deepEqual(none, {
    isPending: false,
    last: undefined,
    learnt: undefined,
  });
  await endTraining(db, await claim(db), outcome);
  t.like((await findTrainingHistory(db, 'shop')).learnt, {
    eventsUntil: outcome.eventsUntil!,
    itemsUntil: outcome.itemsUntil!,
    eventCount: 3,
  });
  await request(db);
  t.true((await findTrainingHistory(db, 'shop')).isPending);
  for (let attempt = 0; attempt < 3; attempt++) {
    await giveBackTraining(db, (await begin(db))!, { message: 'no', isInterrupted: false });
    await endPause(db);
  }
  const { last, learnt, isPending } = await findTrainingHistory(db, 'shop');
  t.is(last!.isLearnt, false);
  t.deepEqual(learnt!.eventsUntil, outcome.eventsUntil);
  t.false(isPending);
});

test('trainings are listed by environment, the newest first, and old ones are deleted', async (t) => {
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

test('new events are counted up to a limit', async (t) => {
  const db = await createTestDatabase(t);
  const event = (environment: string, eventId?: string): EventRow => {
    const moment = { occurredAtMs: Date.now(), robot: false, details: {} };
    const what = { eventType: 'detail_pageview', deviceId: 'd', itemType: 'a', itemId: 'x' };
    return { environment, eventId, ...what, ...moment };
  };
  t.is(await countEventsAfter(db, 'one', {}, 5), 0);
  await commitEvents(
    db,
    ['one', 'one', 'one', 'two'].map((name) => event(name)),
  );
  t.is(await countEventsAfter(db, 'one', {}, 2), 2);
  t.is(await countEventsAfter(db, 'one', {}, 4), 3);
  const position = positionAfter(await listEventRanges(db));
  t.is(await countEventsAfter(db, 'one', position, 5), 0);
  for (const [i, lane] of [1, 2, 3, 6].entries()) {
    await commitEvents(db, [event('one'), event('one', `id-${i}`), event('two', `id-${i}`)], { lane });
  }
  t.is(await countEventsAfter(db, 'one', position, 50), 8);
  t.is(await countEventsAfter(db, 'one', position, 5), 5);
  t.is(await countEventsAfter(db, 'one', {}, 50), 11);
  t.is(await countEventsAfter(db, 'none', {}, 5), 0);
});

test('changed items are counted once each, after a position and up to a limit', async (t) => {
  const db = await createTestDatabase(t);
  const items = (environment: string, count: number) =>
    Array.from({ length: count }, (_, i) => ({
      environment,
      itemType: 'product',
      itemId: `${i}`,
      document: {},
    }));
  await upsertItems(db, [...items('one', 20), ...items('two', 20)]);
  t.is(await countItemsChangedSince(db, 'one', {}, 100), 20);
  const position = positionOf(await listItemFeedEnds(db));
  t.is(await countItemsChangedSince(db, 'one', position, 100), 0);
  for (let round = 0; round < 3; round++) await upsertItems(db, [...items('one', 7), ...items('two', 9)]);
  t.is(await countItemsChangedSince(db, 'one', position, 100), 7);
  t.is(await countItemsChangedSince(db, 'one', position, 4), 4);
});

test('a due training is not queued when another one was requested meanwhile', async (t) => {
  const db = await createTestDatabase(t);
  const before = await findTrainingHistory(db, 'shop');
  t.true(await insertDueTraining(db, 'shop', 'first', before.lookedAt));
  t.false(await insertDueTraining(db, 'shop', 'first', before.lookedAt), 'it waits');
  await endTraining(db, (await begin(db))!, outcome);
  t.false(await insertDueTraining(db, 'shop', 'first', before.lookedAt), 'it has ended');
  const { lookedAt } = await findTrainingHistory(db, 'shop');
  t.true(await insertDueTraining(db, 'shop', 'events', lookedAt));
});

test('a training with an end in the future delays no other', async (t) => {
  const db = await createTestDatabase(t);
  await endTraining(db, await claim(db), outcome);
  await endTraining(db, await claim(db), { ...outcome, eventCount: 9 });
  const moveAhead = sql`
    update trainings set requested_at = requested_at + interval '8 hours',
      started_at = started_at + interval '8 hours', ended_at = ended_at + interval '8 hours'
    where event_count = 9`;
  await moveAhead.execute(db.kysely);
  const { last, learnt, lookedAt } = await findTrainingHistory(db, 'shop');
  t.true(last!.endedMsAgo >= 0);
  t.is(learnt!.eventCount, 3);
  t.true(await insertDueTraining(db, 'shop', 'events', lookedAt));
});

test('the latest 200 of an environment are kept, and queued and running ones at any age', async (t) => {
  const db = await createTestDatabase(t);
  const { trainingId: running } = await claim(db);
  const ofMinute = (environment: string, minute: number) => {
    const requested_at = new Date(Date.now() + minute * 60_000);
    return { environment, reason: 'demand', state: 'published', requested_at, ended_at: requested_at };
  };
  const later = Array.from({ length: 210 }, (_, i) => ofMinute('shop', i + 1));
  await db.kysely
    .insertInto('trainings')
    .values([...later, ofMinute('news', -5_000)])
    .execute();
  await request(db);
  const rows = await db.kysely
    .selectFrom('trainings')
    .select(['environment', 'training_id', 'state'])
    .execute();
  t.is(rows.filter(({ state }) => state === 'published').length, 200 + 1);
  t.true(rows.some(({ training_id }) => training_id === running));
  t.true(rows.some(({ environment }) => environment === 'news'));
});
