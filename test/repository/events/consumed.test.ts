/** What somebody has consumed is known for long, though a history ends. */

import test from 'ava';

import type { EventRow } from '../../../src/repository/event-row.ts';
import { findHistories, type History } from '../../../src/repository/events/histories.ts';
import { maxHistoryEntries } from '../../../src/repository/events/history-lines.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { consuming, createTestNode, foldAll } from '../../support/events.ts';
import { fc } from '../../support/properties.ts';

type Act = { kind: string; item: number; seconds: number; isUser: boolean };

/** Some consume, some do not. */
const kinds = ['purchase\tproduct', 'detail_pageview\tproduct', 'detail_pageview\titem', 'impression\titem'];

/** Long names, so that a history is cut after some hundred lines. */
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

const act: fc.Arbitrary<Act> = fc.record({
  kind: fc.constantFrom(...kinds),
  item: fc.nat(250),
  seconds: fc.nat(100_000),
  isUser: fc.boolean(),
});

/** In one fold, or read from the table of events by another node; some bring more than a history holds. */
const folds = fc.array(
  fc.record({ acts: fc.array(act, { maxLength: 700, size: 'max' }), isOwn: fc.boolean() }),
  { maxLength: 5, size: 'max' },
);

test('all that was consumed is found, whatever is folded when and by whom', async (t) => {
  const db = await createTestDatabase(t);
  const node = await createTestNode(db);
  let run = 0;
  const property = fc.asyncProperty(folds, async (parts) => {
    run += 1;
    const environment = `run${run}`;
    for (const { acts, isOwn } of parts) {
      await node.commit(acts.map((one) => rowOf(environment, one)));
      await (isOwn ? node.folding.catchUp() : foldAll(db));
    }
    const { entries, impressions, consumed } = await find(db, environment);
    const found = new Set([...entries, ...impressions, ...consumed].map(whatOf));
    const rows = parts.flatMap(({ acts }) => acts).map((one) => rowOf(environment, one));
    const wanted = rows.filter(({ eventType, itemType }) => consuming.has(`${eventType}\t${itemType}`));
    t.deepEqual(
      wanted.map(whatOf).filter((what) => !found.has(what)),
      [],
    );
    t.true(entries.length <= 2 * maxHistoryEntries && impressions.length <= 2 * maxHistoryEntries);
  });
  await t.notThrowsAsync(fc.assert(property, { numRuns: 8, endOnFailure: true }));
});
