/**
 * Aggregates do not wait for the disk: those lost in a crash of the database server are made again.
 */

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import test from 'ava';
import { DomainError } from '../../src/errors.ts';
import { createDatabase, type Database } from '../../src/repository/database.ts';
import { startEmbeddedPostgres } from '../../src/repository/embedded/embedded-postgres.ts';
import type { EventRow } from '../../src/repository/event-row.ts';
import { findHistories } from '../../src/repository/events/histories.ts';
import { listCounts } from '../../src/repository/metrics/metric-reads.ts';
import { migrate } from '../../src/repository/migrations.ts';
import { silentLogger } from '../support/database.ts';
import { createTestNode } from '../support/events.ts';
import { killFamily } from '../support/kill-family.ts';
import { roomyFolder } from '../support/roomy-folder.ts';

const crashes = 3;
const eventsBetween = 20;
const pollMs = 50;

const view = (itemId: string): EventRow => ({
  environment: 'shop',
  eventId: itemId,
  eventType: 'detail_pageview',
  occurredAtMs: Date.UTC(2026, 4, 1, 12),
  deviceId: 'd',
  itemType: 'product',
  itemId,
  robot: false,
  details: {},
});

/** By a new user, with a new set. */
const impression = (name: string): EventRow => ({
  ...view(`seen by ${name}`),
  eventType: 'impression',
  deviceId: undefined,
  userId: name,
  requestId: name,
});

async function count(db: Database): Promise<Record<string, number>> {
  const query = { environment: 'shop', fromHour: 0, toHour: 2 ** 31 - 1, groupBy: [], where: {} };
  const rows = await listCounts(db, { ...query, measures: ['pageviews', 'users', 'impressions_sets'] });
  return Object.fromEntries(rows.map(({ measure, value }) => [measure, value]));
}

/** An event with an id can be sent again. */
async function untilItAnswers(work: () => Promise<unknown>): Promise<unknown> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof DomainError) || error.reason !== 'UNAVAILABLE') throw error;
    await delay(pollMs);
    return untilItAnswers(work);
  }
}

test('a database server that dies after an aggregation loses no event, and counts none twice', async (t) => {
  const dataDir = mkdtempSync(join(roomyFolder(), 'fold-crash-'));
  const server = await startEmbeddedPostgres({ dataDir, logger: silentLogger });
  const db = createDatabase(server.connection, { poolSize: 4 });
  t.teardown(async () => {
    await db.close();
    await server.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });
  await migrate(db);
  const { aggregation, commit } = await createTestNode(db);
  const items: string[] = [];
  for (let crash = 0; crash < crashes; crash++) {
    const added = Array.from({ length: eventsBetween }, (_, place) => `${crash}-${place}`);
    await untilItAnswers(() => commit([...added.map(view), impression(`u${crash}`)]));
    items.push(...added);
    await untilItAnswers(() => aggregation.catchUp());
    killFamily(Number(readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0]));
    await untilItAnswers(() => aggregation.catchUp());
    t.deepEqual(await count(db), { pageviews: items.length, users: crash + 1, impressions_sets: crash + 1 });
    const [{ entries }] = await findHistories(db, [{ environment: 'shop', deviceId: 'd' }]);
    t.deepEqual(entries.map(({ itemId }) => itemId).toSorted(), items.toSorted());
  }
});
