/** Batches without a service: claims, repeated work and expiry. */

import { randomUUID } from 'node:crypto';
import test from 'ava';
import { pino } from 'pino';
import { DomainError } from '../../../src/errors.ts';
import { noHistory } from '../../../src/events/histories/history-reader.ts';
import { createBatches } from '../../../src/jobs/batches/batches.ts';
import { askForDue, dueAt } from '../../../src/jobs/batches/due-batches.ts';
import { forgetParts, storeSubjects } from '../../../src/jobs/batches/gather-subjects.ts';
import { type RunBatchOptions, runBatch } from '../../../src/jobs/batches/run-batch.ts';
import { answerPart, listParts, subjectsPerPart } from '../../../src/repository/batches/batch-parts.ts';
import {
  cancelBatch,
  claimBatch,
  deleteBatch,
  endBatch,
  endLostBatches,
  fillBatch,
  findBatch,
  insertBatch,
  listBatches,
  listExpiredBatches,
  reportBatch,
  returnBatch,
} from '../../../src/repository/batches/batches.ts';
import type { Database } from '../../../src/repository/database.ts';
import { completeDeletion, insertDeletion } from '../../../src/repository/people/deletions.ts';
import { createMarker } from '../../../src/repository/people/marks.ts';
import { erasePersonalData, exportPersonalData } from '../../../src/repository/people/personal-rows.ts';
import { createTestDatabase } from '../../support/database.ts';

const environment = 'shop';
const people = Array.from({ length: subjectsPerPart * 2 + 7 }, (_, i) => `u:user ${i} "é"`);
const always = new AbortController().signal;

async function plant(db: Database, subjects: readonly string[] = people) {
  const name = { environment, batchId: randomUUID() };
  await insertBatch(db, { ...name, request: {} }, 'filling', 10);
  const count = await storeSubjects(
    { db, largest: 10_000 },
    name,
    [subjects.slice(0, 5), subjects.slice(5)],
    always,
  );
  await fillBatch(db, name.batchId, count);
  return name;
}

const logger = pino({ level: 'silent' });

/** Lists without items. */
const running: Omit<RunBatchOptions, 'db'> = {
  answerer: {
    read: async (_, subjects) => new Map(subjects.map((subject) => [subject, noHistory])),
    answer: (_, subject) => [subject, 'request', 'group', 'version', []],
    check: () => undefined,
  },
  readPlan: () => ({
    environment,
    configurationIds: [],
    source: undefined,
    requestOf: () => {
      throw new Error('No list is made here.');
    },
  }),
  catchUp: async () => undefined,
  settingsOf: () => ({ largest: 10_000, lifetimeDays: 7 }),
  clock: Date.now,
  logger,
};

/** Simulates a long silence of its node. */
const silence = (db: Database) =>
  db.pool.query(`update batches set heartbeat_at = heartbeat_at - interval '1 minute'`);

test('subjects fill parts, and more than the limit are refused', async (t) => {
  const db = await createTestDatabase(t);
  const name = await plant(db);
  const parts = await listParts(db, name, 0, 10);
  t.deepEqual(
    parts.flatMap(({ people: text }) => JSON.parse(text)),
    people,
  );
  t.deepEqual(
    parts.map(({ people: text }) => JSON.parse(text).length),
    [subjectsPerPart, subjectsPerPart, 7],
  );
  t.like(await findBatch(db, environment, name.batchId), { state: 'queued', peopleCount: people.length });
  await t.throwsAsync(storeSubjects({ db, largest: 100 }, name, [people], always), {
    message: /more than 100/,
  });
});

test('a batch that is too large takes no place in the queue', async (t) => {
  const db = await createTestDatabase(t);
  const settings = { largest: 3, mostAtOnce: 2, lifetimeDays: 7, schedules: [] };
  const settingsOf = () => settings;
  const node = { db, node: 'a', environments: [environment], logger };
  const batches = createBatches({ ...running, ...node, settingsOf });
  for (let count = 0; count < 3; count++)
    await t.throwsAsync(batches.create(environment, {}, people.slice(0, 4)), { message: /more than 3/ });
  t.is((await batches.create(environment, {}, people.slice(0, 3))).peopleCount, 3);
});

/** Simulates another node that runs waiting batches at once. */
const endAtOnce = `
create function end_at_once() returns trigger language plpgsql as $body$
begin
  new.state = 'done';
  new.is_gathered = true;
  new.people_count = 3;
  new.next_part = 1;
  new.attempts = 1;
  new.node = 'b';
  new.started_at = now();
  new.ended_at = now();
  new.expires_at = now() + interval '7 days';
  return new;
end
$body$;
create trigger end_at_once before insert or update on batches
for each row when (new.state = 'queued') execute function end_at_once()`;

test('create returns the batch as requested, even if it has ended by then', async (t) => {
  const db = await createTestDatabase(t);
  await db.pool.query(endAtOnce);
  const settingsOf = () => ({ largest: 10, mostAtOnce: 2, lifetimeDays: 7, schedules: [] });
  const batches = createBatches({
    ...running,
    db,
    node: 'a',
    environments: [environment],
    logger,
    settingsOf,
  });
  const asFresh = { state: 'queued', nextPart: 0, attempts: 0, node: null, startedAt: null };
  const asOpen = { endedAt: null, expiresAt: null, failure: null };
  const given = await batches.create(environment, {}, people.slice(0, 3));
  t.like(given, { ...asFresh, ...asOpen, isGathered: true, peopleCount: 3 });
  t.like(await findBatch(db, environment, given.batchId), { state: 'done', node: 'b' });
  const sourced = await batches.create(environment, {}, undefined);
  t.like(sourced, { ...asFresh, ...asOpen, isGathered: false, peopleCount: 0 });
});

test('the number of batches stays within its limit, also for simultaneous requests', async (t) => {
  const db = await createTestDatabase(t);
  const asked = Array.from({ length: 10 }, () => {
    return insertBatch(db, { environment, batchId: randomUUID(), request: {} }, 'queued', 3);
  });
  t.is((await Promise.all(asked)).filter(Boolean).length, 3);
});

test('a node holds a batch until it returns it, ends it or stops responding', async (t) => {
  const db = await createTestDatabase(t);
  const { batchId } = await plant(db);
  const claim = (node: string) => claimBatch(db, [environment], node);
  const first = (await claim('a'))!;
  t.like(first, { batchId, state: 'running', attempts: 1 });
  t.is(await claim('b'), undefined);
  t.true(await reportBatch(db, first, 1));
  await returnBatch(db, first);
  const second = (await claim('b'))!;
  t.like(second, { node: 'b', nextPart: 1 });
  t.false(await reportBatch(db, first, 2), 'the node that returned it no longer holds it');
  await silence(db);
  const third = (await claim('c'))!;
  t.is(third.attempts, 2);
  await endBatch(db, second, { state: 'done' }, 7);
  t.like(await findBatch(db, environment, batchId), { state: 'running', node: 'c' });
  await endBatch(db, third, { state: 'done' }, 7);
  t.is((await findBatch(db, environment, batchId))!.state, 'done');
  t.is(await claim('d'), undefined);
});

test('a batch without progress fails at the third attempt, and one with progress continues', async (t) => {
  const db = await createTestDatabase(t);
  const { batchId } = await plant(db);
  for (const part of [1, 2, 3, 4]) {
    const claimed = (await claimBatch(db, [environment], 'a'))!;
    await reportBatch(db, claimed, part);
    await silence(db);
  }
  for (let count = 0; count < 2; count++) {
    t.truthy(await claimBatch(db, [environment], 'a'));
    await silence(db);
  }
  t.is(await claimBatch(db, [environment], 'a'), undefined);
  await endLostBatches(db, environment, 7);
  t.is((await findBatch(db, environment, batchId))!.state, 'failed');
});

test('a batch waits for an unavailable database, however often', async (t) => {
  const db = await createTestDatabase(t);
  const { batchId } = await plant(db);
  const tryWith = async (code: string | undefined) => {
    const batch = (await claimBatch(db, [environment], 'a'))!;
    const read = async () => {
      throw new DomainError('UNAVAILABLE', 'Not at the moment.', {
        cause: Object.assign(new Error(), { code }),
      });
    };
    await runBatch({ ...running, db, answerer: { ...running.answerer, read } }, batch, always);
    t.is(await claimBatch(db, [environment], 'a'), undefined, 'not at once');
    await silence(db);
    return (await findBatch(db, environment, batchId))!.state;
  };
  for (const code of ['08006', '57P01', undefined, '08006', '53300']) t.is(await tryWith(code), 'queued');
  const batch = (await claimBatch(db, [environment], 'a'))!;
  await runBatch({ ...running, db }, batch, always);
  t.is((await findBatch(db, environment, batchId))!.state, 'done');
});

test('a statement that takes too long counts as an attempt', async (t) => {
  const db = await createTestDatabase(t);
  const { batchId } = await plant(db);
  const cause = Object.assign(new Error('canceling statement due to statement timeout'), { code: '57014' });
  const read = async () => {
    throw new DomainError('UNAVAILABLE', 'Not at the moment.', { cause });
  };
  for (const state of ['queued', 'queued', 'failed'] as const) {
    const batch = (await claimBatch(db, [environment], 'a'))!;
    await runBatch({ ...running, db, answerer: { ...running.answerer, read } }, batch, always);
    t.is((await findBatch(db, environment, batchId))!.state, state);
    await silence(db);
  }
});

test('a small batch waits for one turn of a large one, not for its end', async (t) => {
  const db = await createTestDatabase(t);
  const many = Array.from({ length: 27 * subjectsPerPart }, (_, i) => `u:${i}`);
  const large = await plant(db, many);
  const small = await plant(db);
  const takeTurn = async () => {
    const batch = (await claimBatch(db, [environment], 'a'))!;
    await runBatch({ ...running, db }, batch, always);
    const { state, nextPart } = (await findBatch(db, environment, batch.batchId))!;
    return [batch.batchId, state, nextPart];
  };
  t.deepEqual(await takeTurn(), [large.batchId, 'queued', 25]);
  t.deepEqual(await takeTurn(), [small.batchId, 'done', 3]);
  t.deepEqual(await takeTurn(), [large.batchId, 'done', 27]);
  const parts = await listParts(db, large, 0, 30);
  t.deepEqual(
    parts.flatMap(({ results }) => JSON.parse(results!)).map(([subject]) => subject),
    many,
  );
});

test('a node that claims a batch first reads what was written before', async (t) => {
  const db = await createTestDatabase(t);
  const { batchId } = await plant(db);
  let isKnown = false;
  const answer: RunBatchOptions['answerer']['answer'] = (_, subject) => {
    if (!isKnown) throw new DomainError('CONFIGURATION_UNKNOWN', 'There is no configuration "home".');
    return [subject, 'request', 'group', 'version', []];
  };
  const catchUp = async () => {
    isKnown = true;
  };
  const batch = (await claimBatch(db, [environment], 'a'))!;
  await runBatch({ ...running, db, answerer: { ...running.answerer, answer }, catchUp }, batch, always);
  t.like(await findBatch(db, environment, batchId), { state: 'done', failure: null });
});

test('a subject is answered once, and not after its deletion', async (t) => {
  const db = await createTestDatabase(t);
  const name = await plant(db);
  const [first, second] = await listParts(db, name, 0, 2);
  const answersOf = ({ people: text }: { people: string }) =>
    JSON.stringify(JSON.parse(text).map((subject: string) => [subject, 'request', 'group', 'version', []]));
  t.true(await answerPart(db, name, first, answersOf(first)));
  t.false(await answerPart(db, name, first, 'others'));
  const [gone, waiting] = [people[3], people[subjectsPerPart]];
  for (const subject of [gone, waiting]) {
    const person = { environment, userId: subject.slice(2), deviceIds: [], hasWholeDevices: false };
    const records: object[] = [];
    for await (const page of exportPersonalData(db, person, 'batch_results')) records.push(...page);
    t.like(records, [{ batch_id: name.batchId, user_id: person.userId }]);
    t.is(records.length, 1);
    t.is(await erasePersonalData(db, person, 'batch_results'), 1);
    t.is(await erasePersonalData(db, person, 'batch_results'), 0);
  }
  t.false(await answerPart(db, name, second, answersOf(second)), 'it was read before the deletion');
  const [answered, left] = await listParts(db, name, 0, 2);
  t.is(JSON.parse(answered.results!)[3], null);
  t.is(JSON.parse(answered.results!)[4][0], people[4]);
  t.is(JSON.parse(left.people)[0], null);
  t.is(JSON.parse(left.people)[1], people[subjectsPerPart + 1]);
  t.true(await answerPart(db, name, left, answersOf(left)));
});

test('a subject deleted while a batch is gathered is not stored', async (t) => {
  const db = await createTestDatabase(t);
  const name = { environment, batchId: randomUUID() };
  const { markOf } = await createMarker(db);
  const deletionOf = (subject: string) => ({
    receiptId: randomUUID(),
    environment,
    kind: 'user' as const,
    subjects: [markOf(environment, subject)],
  });
  /** Two deletions have searched all batches; one of them has ended before the last page is read. */
  async function* pages() {
    yield people;
    await insertDeletion(db, deletionOf(people[2]));
    await completeDeletion(db, deletionOf(people[0]), {});
    yield ['d:device'];
  }
  t.is(await storeSubjects({ db, largest: 10_000 }, name, pages(), always), people.length + 1);
  const parts = await listParts(db, name, 0, 10);
  t.deepEqual(
    parts.flatMap(({ people: text }) => JSON.parse(text)),
    [...people, 'd:device'].map((subject, place) => (place === 0 || place === 2 ? null : subject)),
  );
});

test('a waiting batch is cancelled at once, and an ended one expires', async (t) => {
  const db = await createTestDatabase(t);
  const name = await plant(db);
  t.is((await cancelBatch(db, environment, name.batchId, 7))!.state, 'cancelled');
  t.is(await claimBatch(db, [environment], 'a'), undefined);
  t.deepEqual(await listExpiredBatches(db, 10), []);
  await db.pool.query(`update batches set expires_at = now() - interval '1 second'`);
  t.is(await findBatch(db, environment, name.batchId), undefined);
  t.deepEqual(await listExpiredBatches(db, 10), [name]);
  await forgetParts(db, name);
  t.deepEqual(await listParts(db, name, 0, 10), []);
});

test('a list of batches continues at its place even if the last one read has expired', async (t) => {
  const db = await createTestDatabase(t);
  const names = [];
  for (let count = 0; count < 4; count++) names.push(await plant(db, people.slice(0, 1)));
  const newest = names.map(({ batchId }) => batchId).reverse();
  const first = await listBatches(db, environment, 2);
  t.deepEqual(
    first.map(({ batchId }) => batchId),
    newest.slice(0, 2),
  );
  const { requestedAtUs, batchId: last } = first[1];
  await deleteBatch(db, last);
  const rest = await listBatches(db, environment, 9, [requestedAtUs, last]);
  t.deepEqual(
    rest.map(({ batchId }) => batchId),
    newest.slice(2),
  );
});

test('a scheduled batch is kept for as long as its time could be made up', async (t) => {
  const db = await createTestDatabase(t);
  const nowMs = Date.now();
  const schedules = [
    { name: 'mail', timesOfDay: [Math.floor(nowMs / 60_000) % 1_440], timeZone: 'UTC', request: {} },
  ];
  const ask = () => askForDue(db, environment, schedules, nowMs);
  t.true(await ask());
  await endBatch(db, (await claimBatch(db, [environment], 'a'))!, { state: 'done' }, 0);
  t.deepEqual(await listExpiredBatches(db, 10), []);
  t.false(await ask());
  await db.pool.query(`update batches set due_at = due_at - interval '2 days'`);
  t.is((await listExpiredBatches(db, 10)).length, 1);
});

const at = (time: string) => Date.parse(`2026-03-01T${time}Z`);

const moments: [timesOfDay: number[], now: string, due: string | undefined][] = [
  [[210], '03:30:00', '03:30:00'],
  [[210], '03:29:59', undefined],
  [[210], '04:29:59', '03:30:00'],
  [[210], '05:00:00', undefined],
  [[210, 240], '04:10:00', '04:00:00'],
];

for (const [timesOfDay, now, due] of moments)
  test(`at ${now}, of the minutes ${timesOfDay} the due one is ${due ?? 'none'}`, (t) => {
    t.is(dueAt({ timesOfDay, timeZone: 'UTC' }, at(now))?.getTime(), due === undefined ? undefined : at(due));
  });

test('a time just before midnight is due just after it', (t) => {
  t.is(
    dueAt({ timesOfDay: [1_439], timeZone: 'UTC' }, at('00:05:00'))?.getTime(),
    at('00:05:00') - 6 * 60_000,
  );
});

test('a schedule requests one batch for each time, on any number of nodes', async (t) => {
  const db = await createTestDatabase(t);
  const schedules = [
    { name: 'newsletter', timesOfDay: [210, 240], timeZone: 'UTC', request: { page_type: 'email' } },
  ];
  const looks = (time: string) =>
    Promise.all([1, 2, 3].map(() => askForDue(db, environment, schedules, at(time))));
  t.is((await looks('03:31:00')).filter(Boolean).length, 1);
  t.is((await looks('03:45:00')).filter(Boolean).length, 0);
  t.is((await looks('04:00:00')).filter(Boolean).length, 1);
  t.like(await claimBatch(db, [environment], 'a'), {
    schedule: 'newsletter',
    request: { page_type: 'email' },
  });
});
