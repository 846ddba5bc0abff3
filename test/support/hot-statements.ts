/**
 * The statements of requests in the form sent to the database: storing, aggregation, histories,
 * lists and items. Also the statements over whole tables.
 */

import { bucketCountOf, listBuckets } from '../../src/repository/buckets.ts';
import type { Database, Statement } from '../../src/repository/database.ts';
import { listLaneProgress } from '../../src/repository/events/aggregate-events.ts';
import { findNewestEvents } from '../../src/repository/events/event-ranges.ts';
import { findHistories, listKeptSubjects } from '../../src/repository/events/histories.ts';
import { listEventPeople } from '../../src/repository/events/lane-events.ts';
import { updateItems } from '../../src/repository/items/item-updates.ts';
import {
  findItem,
  listChangedItems,
  listItems,
  setItemEnabled,
  touchItem,
  upsertItems,
} from '../../src/repository/items/items.ts';
import { findLists, insertLists, renewLists } from '../../src/repository/kept/lists.ts';
import { listCounts } from '../../src/repository/metrics/metric-reads.ts';
import { addExposures, addServed } from '../../src/repository/metrics/metric-served.ts';
import { addTypedQueries, findTypedQueries } from '../../src/repository/search/typed-queries.ts';
import { aggregateAll, createTestNode } from './events.ts';
import { poolOf } from './pool-of.ts';

const environments = ['shop'];

const names = new Set([
  'store-events',
  'fold-events',
  'list-lane-events',
  'find-histories',
  'list-kept-subjects',
  'list-event-people',
  'insert-lists',
  'find-lists',
  'renew-lists',
  'upsert-items',
  'find-items-by-key',
  'replace-items',
  'set-item-enabled',
  'find-item',
  'list-changed-items',
  'count-served',
  'add-exposures',
  'add-typed-queries',
  'find-typed-queries',
]);

/**
 * Runs each kind of request on many keys, and returns its statements; every name occurs in them.
 */
export async function recordHotStatements(db: Database): Promise<Statement[]> {
  const statements: Statement[] = [];
  const recorded = recordInto(statements, db);
  await useEvents(recorded);
  await useLists(recorded);
  await useItems(recorded);
  const subjects = times(20, (i) => `d:d${i}`);
  await addTypedQueries(
    recorded,
    subjects.map((subject) => ({ environment: 'shop', subject, queries: ['lamp'] })),
  );
  for (const subject of subjects) await findTypedQueries(recorded, { environment: 'shop', subject });
  const missing = [...names].filter((name) => !statements.some((statement) => statement.name === name));
  if (missing.length > 0) throw new Error(`No ${missing.join(', ')} was seen.`);
  return statements.filter(({ name }) => names.has(name));
}

/**
 * Statements of metrics in one and two dimensions, of aggregation, of the log for trainings,
 * audiences and exports, and of the catalogue.
 */
export async function recordWideStatements(db: Database): Promise<Statement[]> {
  const statements: Statement[] = [];
  const recorded = recordInto(statements, db);
  const counts = {
    measures: ['events'],
    fromHour: 0,
    toHour: 1_000_000,
    environment: 'shop',
    where: {},
  } as const;
  await listCounts(recorded, { ...counts, groupBy: [] });
  await listCounts(recorded, { ...counts, groupBy: ['channel', 'version'] });
  await listLaneProgress(recorded);
  await findNewestEvents(recorded, 'shop', 10);
  await listItems(recorded, { environment: 'shop', limit: 10 });
  return statements.filter(({ text }) => /\bbucket = any\(/.test(text));
}

function recordInto(statements: Statement[], db: Database): Database {
  const query = (statement: Statement) => {
    statements.push(statement);
    return db.pool.query(statement);
  };
  return { ...db, pool: poolOf(query) };
}

const times = <Value>(count: number, make: (i: number) => Value) =>
  Array.from({ length: count }, (_, i) => make(i));

async function useEvents(db: Database): Promise<void> {
  const node = await createTestNode(db);
  const events = times(40, (i) => ({
    environment: 'shop',
    eventType: ['impression', 'click_on_recommendation', 'purchase'][i % 3],
    occurredAtMs: Date.now(),
    deviceId: `d${i % 9}`,
    userId: i % 2 ? `u${i % 7}` : undefined,
    itemType: 'product',
    itemId: `p${i % 5}`,
    requestId: `r${i}`,
    eventId: i % 3 ? undefined : `e${i}`,
    robot: false,
    details: { amount: 1 },
  }));
  await node.commit(events);
  const people = times(9, (i) => ({ environment: 'shop', deviceId: `d${i}`, withImpressions: true }));
  await findHistories(db, people, node.pending);
  await node.aggregation.catchUp();
  await findHistories(db, people, node.pending);
  const gone = await createTestNode(db, { lane: 2 });
  await gone.commit(events.map((event) => ({ ...event, eventId: undefined })));
  await aggregateAll(db);
  for (const bucket of await listBuckets(db)) {
    await listKeptSubjects(db, bucket, { limit: 10 });
    await listEventPeople(db, bucket, [{ lane: 2, since: 0, until: 10 }]);
  }
  const exposures = times(20, (i) => ({
    environment: 'shop',
    day: 20_000,
    device_id: `d${i}`,
    user_group: 'recommender',
    version: 'A',
  }));
  await addExposures(db, exposures);
  const combination = { dimensionId: 1, environment: 'shop', values: times(6, String) };
  const counts = [{ combination, sums: { hour: 1, dimension_id: 1, counted: '-1' } }];
  await addServed(db, { node: 'n', number: 1, counts });
}

async function useLists(db: Database): Promise<void> {
  const expiresAt = new Date(Date.now() + 60_000);
  const keys = times(20, (i) => ({ environment: 'shop', listKey: `k${i}` }));
  await insertLists(
    db,
    keys.map((key) => ({ ...key, expiresAt, payload: '{}' })),
  );
  await findLists(db, keys);
  await renewLists(db, keys, new Date(expiresAt.getTime() + 1_000));
}

async function useItems(db: Database): Promise<void> {
  const keys = times(20, (i) => ({ environment: 'shop', itemType: 'product', itemId: `p${i}` }));
  await upsertItems(
    db,
    keys.map((key) => ({ ...key, document: {} })),
  );
  for (const key of keys.slice(0, 4)) {
    await touchItem(db, key);
    await setItemEnabled(db, key, false);
    await findItem(db, key);
  }
  await updateItems(
    db,
    keys.map((key) => ({ ...key, change: (content) => ({ ...content, document: { title: 'Lamp' } }) })),
  );
  for (const bucket of times(await bucketCountOf(db), (i) => i))
    await listChangedItems(db, { bucket, environments, sinceNumber: 0, known: [1], limit: 10 });
}
