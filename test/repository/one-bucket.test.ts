import test from 'ava';
import { bucketCountOf } from '../../src/repository/buckets.ts';
import type { Database, Statement } from '../../src/repository/database.ts';
import { distributedTables } from '../../src/repository/distribution.ts';
import { listFunctions } from '../../src/repository/functions.ts';
import { bucketsNamedBy } from '../../src/repository/silent-workers.ts';
import { createTestDatabase } from '../support/database.ts';
import { recordHotStatements, recordWideStatements } from '../support/hot-statements.ts';

const ofBucket = listFunctions(false)
  .filter(({ isOfBucket }) => isOfBucket)
  .map(({ signature }) => signature.split('(')[0]);

/** Each table that a text names, by what it is called there. */
function tablesOf(text: string): string[] {
  const named = text.matchAll(/\b(?:from|join|update|into)\s+(\w+)(?:\s+as\s+(\w+))?/g);
  return Array.from(named, ([, table, alias]) => [table, alias ?? ''])
    .filter(([table]) => distributedTables.includes(table))
    .map(([, alias]) => alias);
}

test('a statement of a request names one bucket, its first parameter, for every table', async (t) => {
  const db = await createTestDatabase(t);
  const bucketCount = await bucketCountOf(db);
  const statements = await recordHotStatements(db);
  const buckets = new Set<unknown>();
  for (const { name, text, values } of statements) {
    const [bucket] = values as number[];
    buckets.add(bucket);
    t.true(Number.isInteger(bucket) && bucket >= 0 && bucket < bucketCount, name);
    const called = ofBucket.some((call) => text.includes(`${call}($1`));
    const tables = tablesOf(text);
    const bound = text.match(/\bbucket = \$1/g)?.length ?? 0;
    t.true(called ? tables.length === 0 : tables.length > 0 && bound === tables.length, `${name}: ${text}`);
    t.deepEqual(bucketsNamedBy({ text, values }), [bucket], name);
  }
  t.is(buckets.size, bucketCount, 'all buckets are used');
});

test('the buckets of a statement are read from it; tables on the coordinator have none', async (t) => {
  const db = await createTestDatabase(t);
  const all = Array.from({ length: await bucketCountOf(db) }, (_, bucket) => bucket);
  for (const statement of await recordWideStatements(db)) t.deepEqual(bucketsNamedBy(statement), all);
  const local = [
    {
      text: 'select insert_batch_below($1, $2, $3, $4, $5) as "isTaken"',
      values: [1, 'b', 'shop', 'queued', '{}'],
    },
    { text: 'select number from deletions where number > $1 order by number', values: [1] },
    { text: 'update lanes set seen_at = clock_timestamp() where lane = $1 and node = $2', values: [1, 'n'] },
  ];
  for (const statement of local) t.deepEqual(bucketsNamedBy(statement), [], statement.text);
});

const written = [false, true].flatMap((isCluster) =>
  listFunctions(isCluster)
    .map(({ signature, text }) => ({
      signature,
      text,
      on: isCluster ? ' on a cluster' : '',
    }))
    .filter(({ text }) => text.includes('at_bucket')),
);

for (const { signature, text, on } of written) {
  test(`${signature.split('(')[0]} reads and changes only its own bucket${on}`, (t) => {
    const begun = text.slice(text.indexOf('begin'));
    /** A statement that is a text of its own has the bucket as its first parameter. */
    const body = begun.includes('using at_bucket') ? begun.replaceAll('$1', 'at_bucket') : begun;
    const tables = Array.from(body.matchAll(/\b(?:from|join|update)\s+(\w+)/g), ([, table]) => table);
    const named = tables.filter((table) => distributedTables.includes(table));
    const bound = body.match(/\bbucket = at_bucket/g)?.length ?? 0;
    t.true(bound >= named.length, `${named.join()} are bound ${bound} times`);
    t.is(bound, body.match(/\bbucket = /g)?.length ?? 0);
  });
}

/** By `npm run test:citus`. */
const onCluster = process.env.TEST_CITUS === undefined ? undefined : test;

async function explain(db: Database, { text, values }: Pick<Statement, 'text' | 'values'>): Promise<string> {
  const { rows } = await db.pool.query({ text: `explain ${text}`, values });
  return rows.map((row) => row['QUERY PLAN']).join('\n');
}

onCluster?.('on a cluster each statement of a request is one task on one shard', async (t) => {
  const db = await createTestDatabase(t);
  for (const statement of await recordHotStatements(db)) {
    const plan = await explain(db, statement);
    t.deepEqual(plan.match(/Task Count: \d+/g), ['Task Count: 1'], `${statement.name}: ${plan}`);
  }
});

onCluster?.('on a cluster what is about everything runs on all shards that hold a bucket', async (t) => {
  const db = await createTestDatabase(t);
  const {
    rows: [{ shards }],
  } = await db.pool.query(
    `select count(distinct get_shard_id_for_distribution_column('events', bucket)) as shards
     from generate_series(0, $1::int - 1) as bucket`,
    [await bucketCountOf(db)],
  );
  t.true(Number(shards) > 1);
  for (const statement of await recordWideStatements(db)) {
    const plan = await explain(db, statement);
    t.true(plan.includes(`Task Count: ${shards}\n`), `${statement.text}: ${plan}`);
  }
});
