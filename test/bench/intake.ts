/**
 * `node test/bench/intake.ts [--seconds N] [--events N] [--json]`: what storing and aggregation an event costs, without HTTP.
 *
 * Groups of events are committed one after the other while aggregates run beside, as on a node; what is left is aggregated within the measured time. Each row tells
 * events per second, the CPU of this process and of Postgres for an event, and the bytes of its log (WAL), beside a plain insert of the
 * same rows into a table without an index: the yardstick of the same run.
 */
import { parseArgs } from 'node:util';
import { createEventAggregation } from '../../src/events/aggregation.ts';
import { bucketCountOf } from '../../src/repository/buckets.ts';
import { type Database, execute, query } from '../../src/repository/database.ts';
import type { EventRow } from '../../src/repository/event-row.ts';
import { createPendingEvents } from '../../src/repository/events/pending-events.ts';
import { defaultAttributionWindow } from '../../src/repository/metrics/metric-batch.ts';
import { createTestDatabase } from '../support/database.ts';
import { commitEvents } from '../support/events.ts';
import { processorTimeOf } from './nodes.ts';
import { countOf, defaultShopSize } from './sizes.ts';
import { createWorld } from './world.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '3' },
    /** Groups of a row, used in turn. */
    events: { type: 'string', default: '50k' },
    json: { type: 'boolean', default: false },
  },
});

const poolSize = countOf(values.events);
/** Devices of all events, so that every history is full. */
const hotDeviceCount = 1_000;

/** Stores a group; `settle` resolves when all stored events are processed. */
type Intake = {
  commit(events: EventRow[]): Promise<unknown>;
  settle(): Promise<void>;
  stop(): Promise<void>;
};

type Scenario = { name: string; groupSize: number; events: EventRow[]; open(db: Database): Promise<Intake> };

type Cost = {
  name: string;
  eventsPerSecond: number;
  processMicroseconds: number;
  postgresMicroseconds: number;
  walBytes: number;
};

const plainColumns = [
  'environment',
  'event_type',
  'device_id',
  'user_id',
  'item_type',
  'item_id',
  'page_type',
  'channel',
  'occurred_at',
  'details',
];

const plainStatement = `insert into plain select * from unnest(${plainColumns.map((_, place) => `$${place + 1}::text[]`).join(', ')})`;

async function openPlain(db: Database): Promise<Intake> {
  await db.pool.query(`create table plain (${plainColumns.map((name) => `${name} text`).join(', ')})`);
  const commit = (events: EventRow[]) => {
    const values = [
      events.map(({ environment }) => environment),
      events.map(({ eventType }) => eventType),
      events.map(({ deviceId }) => deviceId),
      events.map(({ userId }) => userId),
      events.map(({ itemType }) => itemType),
      events.map(({ itemId }) => itemId),
      events.map(({ pageType }) => pageType),
      events.map(({ channel }) => channel),
      events.map(({ occurredAtMs }) => new Date(occurredAtMs).toISOString()),
      events.map(({ details }) => JSON.stringify(details)),
    ];
    return execute(db, 'insert-plain', plainStatement, values);
  };
  return { commit, settle: async () => undefined, stop: async () => undefined };
}

async function openIntake(db: Database): Promise<Intake> {
  const bucketCount = await bucketCountOf(db);
  const attributionWindow = defaultAttributionWindow;
  const pending = createPendingEvents(bucketCount, attributionWindow);
  const aggregation = createEventAggregation({
    ...{ db, bucketCount, pending, attributionWindow, logger: console },
    consuming: new Set(['purchase\tproduct']),
  });
  await aggregation.start();
  const commit = async (events: EventRow[]) => {
    await aggregation.awaitRoom();
    return commitEvents(db, events, { pending });
  };
  return { commit, settle: aggregation.catchUp, stop: aggregation.stop };
}

const world = createWorld('intake', Math.floor(Date.now() / 1000), defaultShopSize);

function makeEvents(deviceCount?: number): EventRow[] {
  return Array.from({ length: poolSize }, (_, i) => {
    const details = world.event() as Record<string, string>;
    return {
      environment: 'shop',
      eventType: details.event_type,
      occurredAtMs: Date.now(),
      deviceId: deviceCount ? `device-7f3a91c2-${i % deviceCount}` : details.device_id,
      userId: deviceCount ? undefined : details.user_id,
      itemType: 'product',
      itemId: details.action_item,
      pageType: details.page_type,
      channel: details.channel,
      robot: false,
      details,
    };
  });
}

const ordinary = makeEvents();
const hot = makeEvents(hotDeviceCount);
const scenarios: Scenario[] = [
  { name: 'plain insert, groups of 1,000', groupSize: 1_000, events: ordinary, open: openPlain },
  { name: 'events one by one', groupSize: 1, events: ordinary, open: openIntake },
  { name: 'groups of 64', groupSize: 64, events: ordinary, open: openIntake },
  { name: 'groups of 640', groupSize: 640, events: ordinary, open: openIntake },
  { name: 'groups of 640, hot devices', groupSize: 640, events: hot, open: openIntake },
];

async function measure(db: Database, { name, groupSize, events, open }: Scenario): Promise<Cost> {
  const { commit, settle, stop } = await open(db);
  let done = 0;
  let turn = 0;
  const run = async (durationMs: number) => {
    const endMs = performance.now() + durationMs;
    while (performance.now() < endMs) {
      await commit(Array.from({ length: groupSize }, () => events[turn++ % events.length]));
      done += groupSize;
    }
    await settle();
  };
  const durationMs = Number(values.seconds) * 1_000;
  await run(durationMs * 0.3);
  done = 0;
  const before = await readMeters(db);
  await run(durationMs);
  const after = await readMeters(db);
  await stop();
  return {
    name,
    eventsPerSecond: done / ((after.ms - before.ms) / 1_000),
    processMicroseconds: (after.processMicroseconds - before.processMicroseconds) / done,
    postgresMicroseconds: (after.postgresMicroseconds - before.postgresMicroseconds) / done,
    walBytes: (after.walBytes - before.walBytes) / done,
  };
}

const serversText = `select pid from pg_stat_activity where backend_type <> 'autovacuum worker'`;
const walText = `select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 as bytes`;

async function readMeters(db: Database) {
  const servers = await query<{ pid: number }>(db, 'servers', serversText, []);
  const [{ bytes }] = await query<{ bytes: number }>(db, 'wal', walText, []);
  const { user, system } = process.cpuUsage();
  return {
    ms: performance.now(),
    processMicroseconds: user + system,
    postgresMicroseconds: servers.reduce((sum, { pid }) => sum + processorTimeOf(pid), 0),
    walBytes: bytes,
  };
}

function toTable(costs: Cost[]): string {
  const lines = costs.map((cost) =>
    [
      cost.name.padEnd(30),
      `${Math.round(cost.eventsPerSecond).toLocaleString('en').padStart(8)} events/s`,
      `process ${cost.processMicroseconds.toFixed(1).padStart(6)} µs`,
      `Postgres ${cost.postgresMicroseconds.toFixed(1).padStart(6)} µs`,
      `×${(cost.postgresMicroseconds / costs[0].postgresMicroseconds).toFixed(2)} of the plain insert`,
      `${Math.round(cost.walBytes).toLocaleString('en').padStart(6)} bytes of WAL`,
    ].join('  '),
  );
  return lines.join('\n');
}

const costs: Cost[] = [];
for (const scenario of scenarios) {
  const db = await createTestDatabase();
  costs.push(await measure(db, scenario));
  await db.close();
}
console.log(values.json ? JSON.stringify(costs) : toTable(costs));
