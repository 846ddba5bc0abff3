import test from 'ava';
import type pg from 'pg';
import { bucketCountOf, bucketOf } from '../../src/repository/buckets.ts';
import {
  deleteConfiguration,
  listConfigurationVersions,
  listVersionsAfter,
  saveConfiguration,
} from '../../src/repository/configurations/configurations.ts';
import { type Database, kyselyOn } from '../../src/repository/database.ts';
import { type Position, positionKey, rangesBetween } from '../../src/repository/feeds.ts';
import {
  findItem,
  listChangedItems,
  listItemFeedEnds,
  setItemEnabled,
} from '../../src/repository/items/items.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { upsertItem } from '../support/items.ts';
import { poolOf } from '../support/pool-of.ts';
import { fc } from '../support/properties.ts';

const environments = ['shop'];

const writerCount = 4;
const followerCount = 3;

/**
 * `begin` lets a writer's next writes stay open until it ends them; a write outside is its own transaction.
 * Within one transaction a writer keeps to the key of its first write, which is no removal and so
 * locks the key before the counter: no two wait for each other.
 */
type End = 'commit' | 'rollback';
type Step =
  | { kind: 'begin'; writer: number }
  | { kind: 'end'; how: End; writer: number }
  | { kind: 'write'; writer: number; key: number; isRemoved: boolean }
  | { kind: 'read'; follower: number; limit: number; restarts: boolean };

const writer = fc.nat(writerCount - 1);
const write = fc.record({
  kind: fc.constant('write' as const),
  writer,
  key: fc.nat(5),
  isRemoved: fc.nat(3).map((chance) => chance === 0),
});
const read = fc.record({
  kind: fc.constant('read' as const),
  follower: fc.nat(followerCount - 1),
  limit: fc.integer({ min: 1, max: 4 }),
  restarts: fc.boolean(),
});
const someStep: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant('begin' as const), writer }),
  fc.record({ kind: fc.constant('end' as const), how: fc.constantFrom<End>('commit', 'rollback'), writer }),
  write,
  write,
  read,
);

/** A change as a follower reads it: its key and its place among the writes of the key, in the order of commit. */
type Change = { key: string; revision: number; place: string };

type Feed = {
  write(db: Database, key: string, isRemoved: boolean): Promise<unknown>;
  /** One page after a position, and the position after it. */
  readPage(
    db: Database,
    position: Position,
    limit: number,
  ): Promise<{ changes: Change[]; position: Position }>;
  /** The changes that every follower must have read in the end, by key; what is between may be passed over. */
  listLast(db: Database, keys: string[]): Promise<Change[]>;
  /** Whether every change is read, not the last of each key alone. */
  isWhole: boolean;
};

const itemKey = (itemId: string) => ({ environment: 'shop', itemType: 'product', itemId });

const items: Feed = {
  isWhole: false,
  write: (db, key, isRemoved) =>
    isRemoved
      ? setItemEnabled(db, itemKey(key), false)
      : upsertItem(db, { ...itemKey(key), document: { title: key } }),
  async readPage(db, position, limit) {
    for (const range of rangesBetween(position, await listItemFeedEnds(db))) {
      const { bucket, since, until } = range;
      const rows = await listChangedItems(db, { bucket, environments, sinceNumber: since, known: [], limit });
      const last = rows.at(-1)?.number ?? 0;
      const reached = rows.length < limit ? Math.max(until, last) : last;
      const changes = rows.map(({ itemId, revision, number }) => ({
        key: itemId,
        revision,
        place: `${bucket}.${number}`,
      }));
      if (changes.length > 0) return { changes, position: { ...position, [positionKey(range)]: reached } };
    }
    return { changes: [], position };
  },
  async listLast(db, keys) {
    const rows = await Promise.all(keys.map((key) => findItem(db, itemKey(key))));
    return rows
      .filter((row) => row !== undefined)
      .map(({ itemId, revision, bucket, number }) => ({
        key: itemId,
        revision,
        place: `${bucket}.${number}`,
      }));
  },
};

const configurations: Feed = {
  isWhole: true,
  write: (db, configurationId, isRemoved) =>
    isRemoved
      ? deleteConfiguration(db, { configurationId })
      : saveConfiguration(db, { configurationId, document: {} }),
  async readPage(db, position, limit) {
    const rows = await listVersionsAfter(db, position.all ?? 0, limit);
    const changes = rows.map(({ configurationId, version, number }) => ({
      key: configurationId,
      revision: version,
      place: String(number),
    }));
    return { changes, position: { all: rows.at(-1)?.number ?? position.all ?? 0 } };
  },
  async listLast(db, keys) {
    const versions = await Promise.all(
      keys.map((key) => listConfigurationVersions(db, key, { limit: 1_000 })),
    );
    const rows = await listVersionsAfter(db, 0, 1_000);
    return versions.flat().map(({ configurationId, version }) => {
      const row = rows.find((one) => one.configurationId === configurationId && one.version === version);
      return { key: configurationId, revision: version, place: String(row?.number) };
    });
  },
};

/** A connection that runs its statements one after the other; only `settle` waits for them. */
function createWriter(client: pg.PoolClient, db: Database, feed: Feed) {
  const pool = poolOf((statement: pg.QueryConfig) => client.query(statement));
  const on: Database = { ...db, pool, kysely: kyselyOn(client) };
  let work: Promise<unknown> = Promise.resolve();
  let isOpen = false;
  let keyOfTransaction: string | undefined;
  const enqueue = (next: () => Promise<unknown>) => {
    work = work.then(next);
  };
  const end = (how: End) => {
    if (!isOpen) return;
    isOpen = false;
    enqueue(() => client.query(how));
  };
  return {
    end,
    begin() {
      if (isOpen) return;
      isOpen = true;
      keyOfTransaction = undefined;
      enqueue(() => client.query('begin'));
    },
    write(key: string, isRemoved: boolean) {
      if (!isOpen) return enqueue(() => feed.write(on, key, isRemoved));
      const isFirst = keyOfTransaction === undefined;
      const written = keyOfTransaction ?? key;
      keyOfTransaction = written;
      enqueue(() => feed.write(on, written, isRemoved && !isFirst));
    },
    /** However it ends, the connection holds nothing afterwards. */
    async settle() {
      end('commit');
      await work.finally(() => client.query('rollback'));
    },
  };
}

/** Reads page by page; when it starts again it knows its position alone, as it was written down. */
function createFollower(db: Database, feed: Feed) {
  const read: Change[] = [];
  let position: Position = {};
  const readPage = async (limit: number) => {
    const page = await feed.readPage(db, position, limit);
    read.push(...page.changes);
    position = page.position;
    return page.changes.length;
  };
  return {
    read,
    readPage,
    restart() {
      position = JSON.parse(JSON.stringify(position));
    },
    async readAll() {
      while ((await readPage(3)) > 0);
    },
  };
}

/** Why it is not so that each change was read once, in the order of its key; undefined when it is. */
function findFault(read: Change[], last: Change[], isWhole: boolean): string | undefined {
  const text = ({ key, revision, place }: Change) => `${key} ${revision} at ${place}`;
  const texts = read.map(text);
  if (new Set(texts.map((one) => one.split(' at ')[1])).size < texts.length) return 'read twice';
  const missed = last.map(text).find((one) => !texts.includes(one));
  if (missed !== undefined) return `missed: ${missed}`;
  if (isWhole && last.length !== read.length) return 'read what was not written';
  for (const ofKey of Map.groupBy(read, ({ key }) => key).values()) {
    const revisions = ofKey.map(({ revision }) => revision);
    if (revisions.some((revision, i) => i > 0 && revision <= revisions[i - 1])) return 'read out of order';
    if (
      revisions.at(-1)! >
      Math.max(...last.filter(({ key }) => key === ofKey[0].key).map(({ revision }) => revision))
    )
      return 'read what was undone';
  }
  return undefined;
}

async function runSteps(
  db: TestDatabase,
  feed: Feed,
  steps: Step[],
  keys: string[],
): Promise<string | undefined> {
  const clients = await Promise.all(Array.from({ length: writerCount }, () => db.pool.connect()));
  const writers = clients.map((client) => createWriter(client, db, feed));
  const followers = Array.from({ length: followerCount }, () => createFollower(db, feed));
  for (const step of steps) {
    if (step.kind === 'read') {
      if (step.restarts) followers[step.follower].restart();
      await followers[step.follower].readPage(step.limit);
    } else if (step.kind === 'begin') writers[step.writer].begin();
    else if (step.kind === 'end') writers[step.writer].end(step.how);
    else writers[step.writer].write(keys[step.key], step.isRemoved);
  }
  const settled = Promise.allSettled(writers.map((one) => one.settle()));
  for (const follower of followers) await follower.readPage(2);
  const failed = (await settled).find(({ status }) => status === 'rejected');
  for (const client of clients) client.release();
  if (failed) throw (failed as PromiseRejectedResult).reason;
  const last = await feed.listLast(db, keys);
  for (const follower of followers) {
    await follower.readAll();
    const fault = findFault(follower.read, last, feed.isWhole);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** Half of the keys share a bucket, so that writers wait for each other. */
async function makeKeys(db: TestDatabase): Promise<string[]> {
  const bucketCount = await bucketCountOf(db);
  const ids = Array.from({ length: 60 }, (_, i) => `key-${i}`);
  const isCrowded = (id: string) => bucketOf(bucketCount, 'shop', 'product', id) === 0;
  return [...ids.filter(isCrowded).slice(0, 3), ...ids.filter((id) => !isCrowded(id)).slice(0, 3)];
}

for (const [name, feed, tables] of [
  ['items', items, ['items', 'feeds', 'changes']],
  ['configurations', configurations, ['configurations', 'configuration_versions', 'local_feeds']],
] as const) {
  test(`each follower of ${name} reads each change once, despite waiting writers, rollbacks and restarts`, async (t) => {
    const db = await createTestDatabase(t);
    const keys = await makeKeys(db);
    const property = fc.asyncProperty(fc.array(someStep, { minLength: 10, maxLength: 60 }), async (steps) => {
      await db.pool.query(tables.map((table) => `delete from ${table}`).join(';'));
      const fault = await runSteps(db, feed, steps, keys);
      if (fault !== undefined) throw new Error(fault);
    });
    await t.notThrowsAsync(fc.assert(property, { numRuns: 40 }));
  });
}
