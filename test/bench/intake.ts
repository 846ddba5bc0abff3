/**
 * `node test/bench/intake.ts [--seconds N] [--json]`: what storing and counting an event costs, without HTTP.
 *
 * Groups of events are committed by two lanes, as the intake does. Each row tells events per second, the CPU of this process and of
 * Postgres for an event, and the bytes of its log (WAL), beside a bare insert of the same rows: the yardstick of the same run.
 */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { Database } from '../../src/repository/database.ts';
import { query } from '../../src/repository/database.ts';
import { commitEvents, type EventRow } from '../../src/repository/events.ts';
import { createTestDatabase } from '../support/database.ts';
import { createWorld } from './world.ts';

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '3' }, json: { type: 'boolean', default: false } },
});

const laneCount = 2;
/** Events of a row's pool, drawn in turn. */
const poolSize = 50_000;
/** Devices that receive everything, so that every history is full. */
const hotDeviceCount = 1_000;

type Commit = (db: Database, events: EventRow[]) => Promise<unknown>;

type Scenario = { name: string; groupSize: number; events: EventRow[]; commit: Commit };

type Cost = {
  name: string;
  eventsPerSecond: number;
  processMicroseconds: number;
  postgresMicroseconds: number;
  walBytes: number;
};

const bareStatement = `
insert into events (environment, occurred_at, event_type, device_id, user_id, item_type, item_id, page_type, channel, robot, event_id, details)
select environment, occurred_at, event_type, device_id, user_id, item_type, item_id, page_type, channel, false, event_id, details
from json_to_recordset($1::json) as input(environment text, occurred_at timestamptz, event_type text, device_id text, user_id text,
  item_type text, item_id text, page_type text, channel text, event_id text, details json)`;

const insertBare: Commit = (db, events) => {
  const rows = events.map((event) => ({
    environment: event.environment,
    occurred_at: new Date(event.occurredAtMs).toISOString(),
    event_type: event.eventType,
    device_id: event.deviceId,
    user_id: event.userId,
    item_type: event.itemType,
    item_id: event.itemId,
    page_type: event.pageType,
    channel: event.channel,
    event_id: event.eventId,
    details: event.details,
  }));
  return query(db, { name: 'insert-bare', text: bareStatement, values: [JSON.stringify(rows)] });
};

const world = createWorld('intake', Math.floor(Date.now() / 1000));

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
  { name: 'bare insert, groups of 1,000', groupSize: 1_000, events: ordinary, commit: insertBare },
  { name: 'events one by one', groupSize: 1, events: ordinary, commit: commitEvents },
  { name: 'groups of 64', groupSize: 64, events: ordinary, commit: commitEvents },
  { name: 'groups of 1,000', groupSize: 1_000, events: ordinary, commit: commitEvents },
  { name: 'groups of 1,000, hot devices', groupSize: 1_000, events: hot, commit: commitEvents },
];

async function measure(db: Database, { name, groupSize, events, commit }: Scenario): Promise<Cost> {
  let done = 0;
  let turn = 0;
  const run = async (endMs: number) => {
    while (performance.now() < endMs) {
      const group = Array.from({ length: groupSize }, () => events[turn++ % events.length]);
      await commit(db, group);
      done += group.length;
    }
  };
  const lanes = (durationMs: number) => {
    const endMs = performance.now() + durationMs;
    return Promise.all(Array.from({ length: laneCount }, () => run(endMs)));
  };
  const durationMs = Number(values.seconds) * 1_000;
  await lanes(durationMs * 0.3);
  done = 0;
  const before = await readMeters(db);
  await lanes(durationMs);
  const after = await readMeters(db);
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
  const servers = await query<{ pid: number }>(db, { name: 'servers', text: serversText, values: [] });
  const [{ bytes }] = await query<{ bytes: number }>(db, { name: 'wal', text: walText, values: [] });
  const { user, system } = process.cpuUsage();
  return {
    ms: performance.now(),
    processMicroseconds: user + system,
    postgresMicroseconds: servers.reduce((sum, { pid }) => sum + cpuOf(pid), 0),
    walBytes: bytes,
  };
}

/** User and system time of a process, from ticks of a hundredth of a second; the name before them may hold spaces. */
function cpuOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10_000;
}

function toTable(costs: Cost[]): string {
  const lines = costs.map((cost) =>
    [
      cost.name.padEnd(30),
      `${Math.round(cost.eventsPerSecond).toLocaleString('en').padStart(8)} events/s`,
      `process ${cost.processMicroseconds.toFixed(1).padStart(6)} µs`,
      `Postgres ${cost.postgresMicroseconds.toFixed(1).padStart(6)} µs`,
      `×${(cost.postgresMicroseconds / costs[0].postgresMicroseconds).toFixed(2)} of the bare insert`,
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
