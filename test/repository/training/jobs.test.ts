import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { sql } from 'kysely';
import { createDatabase } from '../../../src/repository/database.ts';
import { createJobQueue, type JobQueue, type JobResult } from '../../../src/repository/training/jobs.ts';
import { createLogger } from '../../../src/telemetry/logger.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';

const logger = createLogger('silent');

/** Tidied before the database is. */
function createQueue(t: ExecutionContext, db: TestDatabase): JobQueue {
  const queue = createJobQueue({ db, logger });
  t.teardown(queue.stop);
  return queue;
}

/** AVA ends a test that waits for ever. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await delay(20);
}

test('nodes that start together share one queue, and each job is taken once', async (t) => {
  const db = await createTestDatabase(t);
  const queues = [1, 2, 3].map(() => createQueue(t, db));
  await Promise.all(queues.map((queue) => queue.start()));
  const taken: string[] = [];
  for (const queue of queues)
    queue.take(async (id) => {
      taken.push(id);
      return 'done';
    });
  const ids = Array.from({ length: 12 }, () => randomUUID());
  for (const [place, id] of ids.entries()) await queues[place % 3].send(id);
  await until(() => taken.length >= ids.length);
  t.deepEqual(taken.toSorted(), ids.toSorted());
});

test('a job that waits is not sent twice', async (t) => {
  const db = await createTestDatabase(t);
  const queue = createQueue(t, db);
  await queue.start();
  for (let count = 0; count < 5; count++) await queue.send('same');
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from pgboss.job`.execute(
    db.kysely,
  );
  t.is(rows[0].count, 1);
});

test('a job comes again while it is busy, and after its taker failed', async (t) => {
  const db = await createTestDatabase(t);
  const queue = createQueue(t, db);
  await queue.start();
  const answers: (JobResult | Error)[] = ['busy', new Error('no room'), 'done'];
  let turns = 0;
  queue.take(async () => {
    const answer = answers[Math.min(turns++, answers.length - 1)];
    if (answer instanceof Error) throw answer;
    return answer;
  });
  await queue.send('one');
  await until(() => turns >= answers.length);
  t.is(turns, answers.length);
});

test('who may not make a schema is told so', async (t) => {
  const db = await createTestDatabase(t);
  const role = `plain_${randomUUID().replaceAll('-', '')}`;
  await sql`create role ${sql.id(role)} login`.execute(db.kysely);
  const plain = createDatabase({ ...db.connection, user: role }, { poolSize: 2 });
  const queue = createJobQueue({ db: plain, logger });
  const error = await t.throwsAsync(queue.start());
  await queue.stop();
  await plain.close();
  await sql`drop role ${sql.id(role)}`.execute(db.kysely);
  t.regex(error!.message, /permission denied|authentication/);
});
