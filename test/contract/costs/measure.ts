/** Measures a request: processor time of its thread, bytes of its answer, and memory retained. */

import { once } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Worker } from 'node:worker_threads';
import type { TestDatabase } from '../../support/database.ts';
import type { Received, Sent } from './caller-thread.ts';

export type Cost = {
  status: number;
  /** Microseconds of the thread that answers. */
  cpuUs: number;
  answerBytes: number;
  /** Added rows, and their bytes. */
  rows: number;
  rowBytes: number;
  /** Start of the answer. */
  start: string;
};

export type Meter = {
  /**
   * @param make Returns the request of a try; all differ, because caches would answer equal ones.
   */
  measure(make: (attempt: number) => Sent): Promise<Cost>;
  /**
   * Heap bytes that the measurements of the work left, by try. For many measurements at once,
   * because a garbage collection takes longer than most of them.
   */
  heldAfter(work: () => Promise<unknown>): Promise<number>;
  send(sent: Sent): Promise<Received>;
  stop(): Promise<unknown>;
};

/** Until the code is compiled. */
const warmUps = 2;
const tries = 4;

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

/** @param settle Waits until the service has written its buffers. */
export function createMeter(db: TestDatabase, settle: () => Promise<unknown>): Meter {
  const caller = new Worker(new URL('./caller-thread.ts', import.meta.url));
  let attempt = 10_000;
  const send = async (sent: Sent): Promise<Received> => {
    caller.postMessage(sent);
    const [received] = await once(caller, 'message');
    return received;
  };
  const next = (make: (attempt: number) => Sent): Promise<Received> => {
    attempt += 1;
    return send(make(attempt));
  };
  const stored = async () => {
    await settle();
    return await storedIn(db);
  };
  const heapUsed = async () => {
    await settle();
    collectGarbage();
    return process.memoryUsage().heapUsed;
  };

  return {
    async measure(make) {
      for (let i = 0; i < warmUps; i++) await next(make);
      const before = await stored();
      /** Some systems count a thread's time in steps of milliseconds, so all are timed together. */
      const cpuBefore = process.threadCpuUsage();
      const answers: Received[] = [];
      for (let i = 0; i < tries; i++) answers.push(await next(make));
      const { user, system } = process.threadCpuUsage(cpuBefore);
      const after = await stored();
      const [{ status, bytes: answerBytes, start }] = answers;
      const rows = (after.rows - before.rows) / tries;
      const rowBytes = (after.bytes - before.bytes) / tries;
      return { status, cpuUs: (user + system) / tries, answerBytes, start, rows, rowBytes };
    },
    async heldAfter(work) {
      const before = await heapUsed();
      await work();
      return ((await heapUsed()) - before) / (warmUps + tries);
    },
    send,
    stop: () => caller.terminate(),
  };
}

/** Rows of all tables, and the bytes of their values; without counts by day, which a job writes later. */
async function storedIn({ pool }: TestDatabase): Promise<{ rows: number; bytes: number }> {
  const tables = await pool.query<{ name: string }>(
    `select quote_ident(schemaname) || '.' || quote_ident(relname) as name from pg_stat_user_tables
     where relname <> 'metric_days'`,
  );
  const counts = tables.rows.map(
    ({ name }) =>
      `select count(*)::float8 as rows, coalesce(sum(pg_column_size(t.*)), 0)::float8 as bytes from ${name} t`,
  );
  const sums = `select sum(rows) as rows, sum(bytes) as bytes from (${counts.join(' union all ')}) one`;
  return (await pool.query<{ rows: number; bytes: number }>(sums)).rows[0];
}
