import { setTimeout as delay } from 'node:timers/promises';
import test from 'ava';
import { sql } from 'kysely';
import { runTraining } from '../../../src/jobs/training/run-training.ts';
import { claimTraining, insertTraining } from '../../../src/repository/training/trainings.ts';
import { createLogger } from '../../../src/servers/telemetry/logger.ts';
import { createTestDatabase } from '../../support/database.ts';

test('a training reports its progress once a second', async (t) => {
  const db = await createTestDatabase(t);
  await insertTraining(db, 'one', 'demand');
  const training = (await claimTraining(db, ['one'], 'node'))!;
  await sql`create table told (stage text)`.execute(db.kysely);
  await sql`
    create function tell() returns trigger language plpgsql as 'begin insert into told values (new.stage); return new; end'
  `.execute(db.kysely);
  await sql`create trigger tell after update on trainings for each row execute function tell()`.execute(
    db.kysely,
  );
  const startMs = performance.now();
  const thread = {
    async train(_: unknown, tell: (stage: string, share: number) => void) {
      tell('items', 0.5);
      await delay(2_200);
      throw new Error('broken off');
    },
  };
  await runTraining(
    {
      ...{ db, node: 'node', thread: thread as never, mostEvents: 1 },
      ...{
        onPublished: async () => {},
        isStopping: () => true,
        clock: Date.now,
        logger: createLogger('silent'),
      },
    },
    training,
  );
  const { rows } = await sql<{ stage: string }>`select stage from told where stage = 'items'`.execute(
    db.kysely,
  );
  const seconds = (performance.now() - startMs) / 1_000;
  t.true(rows.length >= 1);
  /** Returning it updates the row once more. */
  t.true(rows.length <= seconds + 1, `${rows.length} times in ${seconds} s`);
});
