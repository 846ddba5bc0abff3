/** Consumed items are remembered longer than the entries of a history. */

import test from 'ava';
import type { History } from '../../../src/ranking/history.ts';
import type { EventRow } from '../../../src/repository/event-row.ts';
import { findHistories } from '../../../src/repository/events/histories.ts';
import { maxHistoryEntries } from '../../../src/repository/events/history-lines.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { aggregateAll, consuming, createTestNode } from '../../support/events.ts';
import { fc } from '../../support/properties.ts';

type Act = { kind: string; item: number; seconds: number; isUser: boolean };

/** Types with and without consumption. */
const kinds = ['purchase\tproduct', 'detail_pageview\tproduct', 'detail_pageview\titem', 'impression\titem'];

/** Long names, so that a history is cut after a few hundred lines. */
const nameOf = (item: number) => `${item}\t${'x'.repeat(200)}`;

const rowOf = (environment: string, { kind, item, seconds, isUser }: Act): EventRow => {
  const [eventType, itemType] = kind.split('\t');
  return {
    ...{ environment, eventType, itemType, itemId: nameOf(item), occurredAtMs: seconds * 1_000 },
    ...(isUser ? { userId: 'ann' } : { deviceId: 'phone' }),
    ...{ robot: false, details: {} },
  };
};

const whatOf = ({ eventType, itemType, itemId }: Pick<EventRow, 'eventType' | 'itemType' | 'itemId'>) =>
  `${eventType}\t${itemType}\t${itemId}`;

const find = async (db: TestDatabase, environment: string): Promise<History> => {
  const who = { environment, deviceId: 'phone', userId: 'ann', withImpressions: true };
  return (await findHistories(db, [who]))[0];
};

/**
 * Pseudo-random numbers below `limit`; a failure reports the seed instead of thousands of actions.
 */
function createDice(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

function actsOf(count: number, seed: number): Act[] {
  const dice = createDice(seed);
  return Array.from({ length: count }, () => ({
    kind: kinds[dice(kinds.length)],
    item: dice(250),
    seconds: dice(100_000),
    isUser: dice(2) === 0,
  }));
}

/** Aggregated at once or by another node; some add more than a history holds. */
const aggregates = fc.array(fc.record({ count: fc.nat(1_000), seed: fc.nat(), isOwn: fc.boolean() }), {
  minLength: 1,
  maxLength: 5,
  size: 'max',
});

test('all consumed items are found, however events are aggregated', async (t) => {
  const db = await createTestDatabase(t);
  const node = await createTestNode(db);
  let run = 0;
  const property = fc.asyncProperty(aggregates, async (parts) => {
    run += 1;
    const environment = `run${run}`;
    const wanted = new Set<string>();
    for (const { count, seed, isOwn } of parts) {
      const rows = actsOf(count, seed).map((one) => rowOf(environment, one));
      for (const row of rows) if (consuming.has(`${row.eventType}\t${row.itemType}`)) wanted.add(whatOf(row));
      await node.commit(rows);
      await (isOwn ? node.aggregation.catchUp() : aggregateAll(db));
    }
    const { entries, impressions, consumed } = await find(db, environment);
    const found = new Set([...entries, ...impressions, ...consumed].map(whatOf));
    t.deepEqual(
      [...wanted].filter((what) => !found.has(what)),
      [],
    );
    t.true(entries.length <= 2 * maxHistoryEntries && impressions.length <= 2 * maxHistoryEntries);
  });
  await t.notThrowsAsync(fc.assert(property, { numRuns: 6, endOnFailure: true }));
});
