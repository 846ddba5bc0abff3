import test from 'ava';
import { createServedCalls } from '../../src/events/served-calls.ts';
import { queryMetrics } from '../../src/handlers/metrics/statistics/metrics.ts';
import { createTestDatabase, silentLogger } from '../support/database.ts';
import { poolOf } from '../support/pool-of.ts';

const hour = 400_000;

for (const isStored of [true, false])
  test(`calls of a batch without an answer are written once, if it ${isStored ? 'was' : 'was not'} stored`, async (t) => {
    const db = await createTestDatabase(t);
    let isDown = true;
    const query = async (statement: { name: string }) => {
      const isLost = isDown && statement.name === 'count-served';
      if (!isLost || isStored) await db.pool.query(statement as never);
      if (isLost) throw new Error('Connection terminated');
      return db.pool.query(statement as never);
    };
    const flaky = { ...db, pool: poolOf(query) };
    const calls = createServedCalls({ db: flaky, clock: () => hour * 3_600_000, logger: silentLogger });
    const signals = { newestAtMs: (hour - 72) * 3_600_000, firstScore: 3 };
    const list = (listName: string, isEmpty = false) => ({
      ...{ listName, configurationId: 'c', isEmpty },
      ...(isEmpty ? {} : signals),
    });
    const person = { environment: 'shop', deviceId: 'd', userGroup: 'recommender', version: 'A' };
    calls.count({ ...person, kind: 'recommendations', lists: [list('one'), list('two', true)] });
    calls.count({ ...person, kind: 'recommendations', lists: [list('one', true)] });
    calls.count({ ...person, kind: 'recommendations', isRobot: true, lists: [list('one')] });
    await t.throwsAsync(calls.flush(), { message: /not available/ });
    calls.count({ ...person, kind: 'search', isEmpty: true });
    isDown = false;
    await calls.flush();
    await calls.flush();
    const ofLists = ['requests', 'recommendation_sets', 'list_freshness', 'list_scores'];
    const metrics = [...ofLists, 'search_requests', 'searches_without_results'];
    const read = async (groupBy: 'list_name'[]) => {
      const values = await queryMetrics(db, {
        metrics,
        environment: 'shop',
        fromHour: hour,
        toHour: hour + 1,
        groupBy,
      });
      return values.map(({ metric, group, value }) => [metric, ...group, value]);
    };
    t.deepEqual(await read([]), [
      ['requests', 2],
      ['recommendation_sets', 1],
      ['list_freshness', 0.25],
      ['list_scores', 0.75],
      ['search_requests', 1],
      ['searches_without_results', 1],
    ]);
    t.deepEqual(await read(['list_name']), [
      ['requests', 'one', 2],
      ['requests', 'two', 1],
      ['recommendation_sets', 'one', 1],
      ['list_freshness', 'one', 0.25],
      ['list_scores', 'one', 0.75],
      ['search_requests', '', 1],
      ['searches_without_results', '', 1],
    ]);
    const { rows } = await db.pool.query('select device_id, version from metric_exposures');
    t.deepEqual(rows, [{ device_id: 'd', version: 'A' }]);
  });
