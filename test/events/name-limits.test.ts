import test, { type ExecutionContext } from 'ava';
import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely';
import { parseDeployment } from '../../src/deployment/load-deployment.ts';
import { createNameLimits } from '../../src/events/name-limits.ts';
import { createServedCalls } from '../../src/events/served-calls.ts';
import { queryMetrics } from '../../src/handlers/metrics/statistics/metrics.ts';
import { combine, type GroupName } from '../../src/repository/metrics/metric-dimensions.ts';
import { addServed } from '../../src/repository/metrics/metric-served.ts';
import { createTestDatabase, silentLogger, type TestDatabase } from '../support/database.ts';
import { poolOf } from '../support/pool-of.ts';

const hour = 400_000;
const hourMs = 3_600_000;

const { environments } = parseDeployment(
  `
environments:
  - name: shop
    item_types: [{ name: product }]
    versions: [{ name: A, share: 1 }, { name: B, share: 1 }]
    segments: [country]
    user_groups: [{ name: control, share: 1 }, { name: ours, share: 1 }]
  - name: registered
    item_types: [{ name: product }]
    page_types: { values: [home], on_unknown: accept }
    list_names: { values: [top], on_unknown: accept }
    channels: { values: [web], on_unknown: warn }
`,
  'test.yaml',
);

/** A node that counts with limits. */
function createNode(db: TestDatabase, newNamesPerHour = 3) {
  const now = { hour };
  const clock = () => now.hour * hourMs;
  const names = createNameLimits({ db, environments, newNamesPerHour, clock, logger: silentLogger });
  const calls = createServedCalls({ db, clock, logger: silentLogger, names });
  const serve = (listNames: readonly string[], environment = 'shop') =>
    calls.count({
      environment,
      kind: 'recommendations',
      deviceId: 'd',
      userGroup: 'ours',
      version: 'A',
      pageType: 'home',
      channel: 'web',
      lists: listNames.map((listName) => ({ listName, configurationId: 'c', isEmpty: false })),
    });
  return { names, calls, serve, now };
}

const read = async (db: TestDatabase, groupBy: GroupName[] = [], environment = 'shop') => {
  const range = { environment, fromHour: hour, toHour: hour + 10 };
  const values = await queryMetrics(db, { metrics: ['requests'], ...range, groupBy });
  return values.map(({ group, value }) => [...group, value].join(' '));
};

const countCombinations = async (db: TestDatabase) => {
  const { rows } = await db.pool.query(
    'select count(distinct dimension_id)::int as count from metric_dimensions',
  );
  return rows[0].count as number;
};

const invented = (from: number, count: number) => Array.from({ length: count }, (_, i) => `evil-${from + i}`);

test('new combinations beyond the limit count under other, and totals stay exact', async (t) => {
  const db = await createTestDatabase(t);
  const { calls, names, serve } = createNode(db);
  serve(['top']);
  for (let i = 0; i < 50; i++) serve(invented(i * 100, 100));
  serve(['top']);
  await calls.flush();
  t.is(await countCombinations(db), 4);
  t.deepEqual(await read(db), ['52']);
  t.deepEqual(await read(db, ['list_name']), ['evil-0 1', 'evil-1 1', 'other 50', 'top 2']);
  t.deepEqual(await read(db, ['version']), ['A 52']);
  t.deepEqual(await read(db, ['page_type']), ['home 3', 'other 50']);
  const { count, examples } = names.excess.get('shop')!;
  t.is(count, 50 * 100 - 2);
  t.deepEqual(examples.slice(0, 2), [
    'ours / A / home / evil-2 / web / c',
    'ours / A / home / evil-3 / web / c',
  ]);
  t.is(examples.length, 5);
});

test('segments beyond their half of the limit are other, the lists keep their names, and totals stay exact', async (t) => {
  const db = await createTestDatabase(t);
  const { calls } = createNode(db, 4);
  const serve = (listName: string, segments?: string) =>
    calls.count({
      ...{ environment: 'shop', kind: 'recommendations', segments },
      lists: [{ listName, configurationId: 'c', isEmpty: false }],
    });
  for (let i = 0; i < 50; i++) serve('top', JSON.stringify({ country: `C${i}` }));
  serve('top', JSON.stringify({ device_class: 'invented' }));
  serve('top');
  serve('new', JSON.stringify({ country: 'C0' }));
  await calls.flush();
  t.is(await countCombinations(db), 5);
  t.deepEqual(await read(db), ['53']);
  t.deepEqual(await read(db, ['list_name']), ['other 1', 'top 52']);
  t.deepEqual(await read(db, ['segments.country']), [' 1', 'C0 1', 'C1 1', 'other 50']);
  t.deepEqual(await read(db, ['segments.device_class', 'list_name']), [
    ' top 3',
    'other other 1',
    'other top 49',
  ]);
});

test('hours that an earlier version counted have no segments, and its combinations keep their ids', async (t) => {
  const db = await createTestDatabase(t);
  const names = {
    user_group: '',
    version: 'A',
    page_type: 'home',
    list_name: 'top',
    channel: '',
    configuration: 'c',
  };
  const dimension_id = combine('shop', Object.values(names)).dimensionId;
  const combinations = JSON.stringify([{ dimension_id, environment: 'shop', ...names }]);
  const sums = JSON.stringify([{ hour, dimension_id, counted: '-1', requests: 2 }]);
  await db.pool.query('select count_served(0, $1, 1, $2, $3)', ['earlier', combinations, sums]);
  const { calls } = createNode(db);
  const lists = [{ listName: 'top', configurationId: 'c', isEmpty: false }];
  const call = {
    environment: 'shop',
    kind: 'recommendations',
    version: 'A',
    pageType: 'home',
    lists,
  } as const;
  calls.count(call);
  calls.count({ ...call, segments: JSON.stringify({ country: 'DE' }) });
  await calls.flush();
  t.is(await countCombinations(db), 2);
  t.deepEqual(await read(db, ['segments.country']), [' 3', 'DE 1']);
  t.deepEqual(await read(db, ['segments.country', 'list_name']), [' top 3', 'DE top 1']);
});

test('each hour and each environment has its own allowance', async (t) => {
  const db = await createTestDatabase(t);
  const { calls, serve, now } = createNode(db);
  serve(invented(0, 10));
  now.hour += 1;
  serve(invented(100, 10));
  serve(invented(200, 10), 'elsewhere');
  await calls.flush();
  const isNamed = (text: string) => text.startsWith('evil');
  t.is((await read(db, ['list_name'])).filter(isNamed).length, 6);
  t.is((await read(db, ['list_name'], 'elsewhere')).filter(isNamed).length, 3);
});

test('a stored combination keeps its name, after a restart and on other nodes', async (t) => {
  const db = await createTestDatabase(t);
  const first = createNode(db);
  first.serve(['top', 'also', 'third']);
  await first.calls.flush();
  const restarted = createNode(db);
  await restarted.names.start();
  t.teardown(restarted.names.stop);
  restarted.serve(invented(0, 10));
  restarted.serve(['top', 'also', 'third']);
  await restarted.calls.flush();
  t.deepEqual(
    (await read(db, ['list_name'])).filter((text) => !text.startsWith('evil')),
    ['also 2', 'other 1', 'third 2', 'top 2'],
  );
  const other = createNode(db, 10);
  other.serve(['fresh']);
  await other.calls.flush();
  for (let requests = 1; ; requests++) {
    restarted.serve(['fresh']);
    await restarted.calls.flush();
    const counted = await read(db, ['list_name']);
    const [fresh] = counted.filter((text) => text.startsWith('fresh'));
    if (fresh !== 'fresh 1') break;
    t.deepEqual(
      counted.filter((text) => text.startsWith('other')),
      [`other ${requests + 1}`],
    );
  }
  const names = (await read(db, ['list_name'])).map((text) => text.split(' ')[0]);
  t.true(names.includes('fresh'));
});

test('an unregistered name counts as other, even if its request is refused', async (t) => {
  const db = await createTestDatabase(t);
  const { calls, names, serve } = createNode(db, 100);
  serve(['top', 'elsewhere', 'nowhere'], 'registered');
  calls.count({ environment: 'registered', kind: 'search', pageType: 'results', channel: 'app' });
  calls.count({ environment: 'registered', kind: 'recommendations', pageType: 'results', lists: [] });
  await calls.flush();
  t.deepEqual(await read(db, ['list_name'], 'registered'), [' 1', 'other 1', 'top 1']);
  t.deepEqual(await read(db, ['page_type', 'channel'], 'registered'), ['home web 1', 'other  1']);
  t.deepEqual(await read(db, [], 'registered'), ['2']);
  t.is(names.excess.size, 0);
});

test('undeclared groups and versions count as other beyond the limit', (t) => {
  const db = undefined as unknown as TestDatabase;
  const { names } = createNode(db, 0);
  const limited = (values: string[]) => names.limit('shop', values);
  t.deepEqual(limited(['ours', 'B', 'p', 'l', 'c', 'id']), ['ours', 'B', 'other', 'other', 'other', 'other']);
  t.deepEqual(limited(['made up', 'up', '', '', '', '']), ['other', 'other', '', '', '', '']);
  t.deepEqual(limited(['recommender', 'default', '', '', '', '']), [
    'recommender',
    'default',
    '',
    '',
    '',
    '',
  ]);
});

async function countAll(
  t: ExecutionContext,
  refuse: (entries: number) => string | undefined,
  listCount: number,
) {
  const db = await createTestDatabase(t);
  const sizes: number[] = [];
  const query = db.pool.query.bind(db.pool);
  const failing = async (statement: { name: string; values: unknown[] }) => {
    if (statement.name !== 'count-served') return query(statement as never);
    const entries = JSON.parse(statement.values[4] as string) as { dimension_id: number }[];
    sizes.push(entries.length);
    const code = refuse(entries.length);
    if (code !== undefined) throw Object.assign(new Error('refused'), { code });
    return query(statement as never);
  };
  const pool = poolOf(failing as never);
  const calls = createServedCalls({ db: { ...db, pool }, clock: () => hour * hourMs, logger: silentLogger });
  const lists = invented(0, listCount).map((listName) => ({
    listName,
    configurationId: 'c',
    isEmpty: false,
  }));
  for (let first = 0; first < listCount; first += 100)
    calls.count({ environment: 'shop', kind: 'recommendations', lists: lists.slice(first, first + 100) });
  await calls.flush();
  return { db, sizes, calls };
}

test('counts are written in bounded statements, and one that takes too long is divided until it does not', async (t) => {
  const timeout = '57014';
  const { db, sizes, calls } = await countAll(t, (entries) => (entries > 60 ? timeout : undefined), 2_000);
  t.true(Math.max(...sizes) <= 500);
  t.is(calls.droppedCount, 0);
  t.is((await read(db, ['list_name'])).length, 2_000);
  t.deepEqual(await read(db), ['20']);
});

test('readers of metrics wait a bounded time for counts that cannot be written', async (t) => {
  const connect = () => new Promise<never>(() => undefined);
  const kysely = new Kysely({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => Object.assign(new DummyDriver(), { acquireConnection: connect }),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  });
  const db = { kysely, pool: { query: () => undefined, connect } };
  const options = { clock: () => 0, logger: silentLogger, patienceMs: 1 };
  const calls = createServedCalls({ db: db as never, ...options });
  calls.count({ environment: 'shop', kind: 'completion' });
  await calls.settle();
  await calls.flushPeople();
  t.is(calls.droppedCount, 0);
});

test('a count that the database refuses is dropped alone, and what follows is written', async (t) => {
  const db = await createTestDatabase(t);
  const combination = combine('shop', ['', '', '', 'bad\0', '', '']);
  const sums = { hour, dimension_id: combination.dimensionId, counted: '-1', requests: 1 };
  await t.throwsAsync(addServed(db, { node: 'n', number: 1, counts: [{ combination, sums }] }));
  const query = db.pool.query.bind(db.pool);
  const pool = poolOf(async (statement: { name: string; values: unknown[] }) => {
    const text = statement.name === 'count-served' ? String(statement.values[3]) : '';
    if (text.includes('poison')) throw Object.assign(new Error('refused'), { code: '22021' });
    return query(statement as never);
  });
  const told: string[] = [];
  const logger = { ...silentLogger, warn: (_: object, message: string) => void told.push(message) };
  const calls = createServedCalls({
    db: { ...db, pool },
    clock: () => hour * hourMs,
    logger: logger as never,
  });
  for (const listName of ['a', 'poison', 'b', 'c', 'poison too'])
    calls.count({
      environment: 'shop',
      kind: 'recommendations',
      lists: [{ listName, configurationId: 'c', isEmpty: false }],
    });
  await calls.flush();
  t.deepEqual(await read(db, ['list_name']), ['a 1', 'b 1', 'c 1']);
  t.is(calls.droppedCount, 2);
  t.deepEqual(told, ['Dropped: counts of served calls.']);
});
