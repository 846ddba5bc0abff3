/**
 * `npm run benchmark:training [-- --users N --items N --events N] [--parts 16,4,1] [--threads N] [--json]`: how long a training takes and what memory it
 * needs, on synthetic data and on parts of it, to see whether both grow linearly.
 *
 * A part has a share of the users and of their events, and all items. Events are made inside the database, so that making them
 * takes minutes, not hours. Each training is that of a running service: it reads from the database, learns, is judged by nobody, and packs.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { sql } from 'kysely';
import { createDatabase, type Database } from '../../src/repository/database.ts';
import { startEmbeddedPostgres } from '../../src/repository/embedded-postgres.ts';
import { copyEvents } from '../../src/repository/event-copy.ts';
import { streamEvents } from '../../src/repository/event-stream.ts';
import { findSettledSequence } from '../../src/repository/events.ts';
import { migrate } from '../../src/repository/migrations.ts';
import { defaultThreadCount, eventBudget } from '../../src/training/machine.ts';
import { createTrainingThread } from '../../src/training/training-thread.ts';

const { values } = parseArgs({
  options: {
    users: { type: 'string', default: '1000000' },
    items: { type: 'string', default: '100000' },
    events: { type: 'string', default: '20000000' },
    parts: { type: 'string', default: '16,4,1' },
    threads: { type: 'string', default: String(defaultThreadCount()) },
    json: { type: 'boolean', default: false },
  },
});

const environment = 'bench';
const eventsPerStatement = 500_000;
/** Reading is compared on so many events at most. */
const mostCompared = 2_000_000;
const quiet = { info: () => undefined, warn: console.error, error: console.error };

type Result = {
  events: number;
  users: number;
  seconds: number;
  /** Of all threads together; other work on the machine does not add to it. */
  cpuSeconds: number;
  /** Of the training process with all its threads, since its start. */
  peakRssMb: number;
  stages: Record<string, number>;
};

async function main(): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'benchmark-training-'));
  const server = await startEmbeddedPostgres({ dataDir, logger: quiet });
  const db = createDatabase(server.connection, { poolSize: 2 });
  try {
    await migrate(db);
    await makeItems(db, Number(values.items));
    const results: Result[] = [];
    for (const part of values.parts
      .split(',')
      .map(Number)
      .toSorted((a, b) => b - a)) {
      const size = {
        users: Math.floor(Number(values.users) / part),
        events: Math.floor(Number(values.events) / part),
      };
      await makeEvents(db, size, results.at(-1) ?? { users: 0, events: 0 });
      if (results.length === 0) say(await compareReading(db));
      results.push({ ...size, ...(await measure(server.connection)) });
      say(describe(results.at(-1)!));
    }
    if (values.json) console.log(JSON.stringify(results));
  } finally {
    await db.close();
    await server.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function makeItems(db: Database, itemCount: number): Promise<void> {
  await sql`
    insert into items (environment, item_type, item_id, document)
    select ${environment}, 'product', n::text, json_build_object(
      'title', 'word' || n % 997 || ' word' || n % 4001 || ' kind' || n / 100,
      'categories', json_build_array('kind' || n / 100), 'brand', 'brand' || n % 211)
    from generate_series(0, ${sql.lit(itemCount - 1)}) as n`.execute(db.kysely);
}

/**
 * Users like one of the kinds of a hundred items, popular ones more: seven of ten events are such, the others are of anything.
 * Added to what is there, which is of other users.
 */
type Size = { users: number; events: number };

async function makeEvents(db: Database, { users, events }: Size, before: Size): Promise<void> {
  say(`Making ${events.toLocaleString('en')} events of ${users.toLocaleString('en')} users …`);
  const items = Number(values.items);
  for (let start = before.events; start < events; start += eventsPerStatement) {
    const end = Math.min(events, start + eventsPerStatement) - 1;
    await sql`
      insert into events (environment, occurred_at, event_type, user_id, item_type, item_id, page_type, robot, details)
      select ${environment}, now() - interval '90 days' + make_interval(secs => n * (7776000.0 / ${sql.lit(events)})),
        case when random() < 0.08 then 'purchase' else 'detail_pageview' end, 'user' || u, 'product',
        case when random() < 0.7
          then ((u * 7919 % ${sql.lit(Math.max(1, Math.floor(items / 100)))}) * 100 + floor(100 * random() ^ 2))::bigint
          else floor(${sql.lit(items)} * random() ^ 3)::bigint end::text,
        'detail', false, '{}'
      from (
        select n, ${sql.lit(before.users)} + floor(${sql.lit(users - before.users)} * random() ^ 1.5)::bigint as u
        from generate_series(${sql.lit(start)}, ${sql.lit(end)}) as n
      ) as drawn`.execute(db.kysely);
  }
  await sql`analyze events`.execute(db.kysely);
}

/** Rows through the driver beside the copy, on the same events. */
async function compareReading(db: Database): Promise<string> {
  const untilSequence = Math.min(mostCompared, await findSettledSequence(db));
  const range = { sinceSequence: 0, untilSequence };
  let rows = 0;
  const streamMs = await timed(async () => {
    for await (const page of streamEvents(db, environment, { ...range, withDetails: false }))
      rows += page.length;
  });
  let copied = 0;
  const copyMs = await timed(() =>
    copyEvents(db, environment, range, () => {
      copied += 1;
    }),
  );
  return `Reading ${copied} events: rows ${Math.round(streamMs)} ms, copy ${Math.round(copyMs)} ms, ${(streamMs / copyMs).toFixed(1)} times as fast (${rows === copied ? 'the same events' : 'NOT the same events'}).`;
}

async function measure(connection: Parameters<typeof createDatabase>[0]) {
  const thread = createTrainingThread({ connection, threadCount: Number(values.threads) });
  const stages: Record<string, number> = {};
  let stage = '';
  let since = performance.now();
  const enter = (next: string) => {
    if (stage !== '') stages[stage] = (stages[stage] ?? 0) + (performance.now() - since) / 1000;
    stage = next;
    since = performance.now();
  };
  const request = {
    environment,
    nowMs: Date.now(),
    learns: true,
    mostEvents: Math.max(eventBudget(), Number(values.events)),
    stores: false as const,
  };
  const before = process.cpuUsage();
  const ms = await timed(() => thread.train(request, enter));
  const { user, system } = process.cpuUsage(before);
  enter('');
  await thread.stop();
  return {
    seconds: ms / 1000,
    cpuSeconds: (user + system) / 1e6,
    peakRssMb: Math.round(process.resourceUsage().maxRSS / 1024),
    stages,
  };
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

function describe({ events, users, seconds, cpuSeconds, peakRssMb, stages }: Result): string {
  const parts = Object.entries(stages).map(([stage, s]) => `${stage} ${s.toFixed(1)}`);
  const perMillion = (cpuSeconds / events) * 1e6;
  return `${events.toLocaleString('en')} events, ${users.toLocaleString('en')} users: ${seconds.toFixed(1)} s, ${cpuSeconds.toFixed(1)} s of CPU (${perMillion.toFixed(2)} s per million events), peak ${peakRssMb} MB\n  ${parts.join(', ')}`;
}

function say(text: string): void {
  console.error(text);
}

await main();
