/** Lines of devices go to the users who sign in on them, and end with signing out. */

import test from 'ava';
import type { EventRow } from '../../../src/repository/event-row.ts';
import { findHistories } from '../../../src/repository/events/histories.ts';
import { createTestDatabase } from '../../support/database.ts';
import { aggregateAll, commitEvents, createTestNode } from '../../support/events.ts';

const event = (itemId: string | undefined, more: Partial<EventRow>): EventRow => ({
  ...{ environment: 'shop', eventType: 'detail_pageview', itemType: 'product', robot: false, details: {} },
  ...{ itemId, occurredAtMs: 1_000_000 },
  ...more,
});
const onPc = { deviceId: 'pc' };
const signIn = (userId: string, isPublic = false) => event(undefined, { ...onPc, userId, isPublic });
const signOut = (more: Partial<EventRow> = {}) =>
  event(undefined, {
    ...{ ...onPc, eventType: 'user_interaction', details: { interaction_type: 'Sign_Out' } },
    ...more,
  });

type Step = EventRow;
const journeys: [title: string, steps: Step[], expected: Record<string, string[]>][] = [
  [
    'the anonymous past of a device is its user’s, on all devices',
    [event('a', onPc), event('b', onPc), signIn('ann')],
    { pc: ['a', 'b'], ann: ['a', 'b'], 'ann on phone': ['a', 'b'] },
  ],
  [
    'what is done on the device without a user while signed in is the user’s, too',
    [signIn('ann'), event('a', onPc), signOut(), event('b', onPc)],
    { pc: ['b'], ann: ['a'] },
  ],
  [
    'after signing out, the next one sees nothing of the user before',
    [
      ...[event('a', onPc), signIn('ann'), event('c', { deviceId: 'phone', userId: 'ann' }), signOut()],
      ...[event('b', onPc), signIn('bob')],
    ],
    { pc: ['b'], bob: ['b'], ann: ['a', 'c'] },
  ],
  [
    'another user who appears ends the link, too',
    [signIn('ann'), event('a', onPc), signIn('bob'), event('b', onPc), signOut()],
    { pc: [], ann: ['a'], bob: ['b'] },
  ],
  ['signing out without a user forgets the device', [event('a', onPc), signOut()], { pc: [] }],
  [
    'a link that anybody may have claimed moves nothing',
    [event('a', onPc), signIn('ann', true)],
    { pc: ['a'], ann: [] },
  ],
  [
    'signing out ends a claim, and a new one claims nothing of before',
    [event('c', { userId: 'ann' }), event('a', onPc), signIn('ann', true), signOut(), signIn('bob', true)],
    { pc: [], ann: ['c'], bob: [] },
  ],
  ['a robot signs nobody out', [signIn('ann'), event('a', onPc), signOut({ robot: true })], { pc: ['a'] }],
  [
    'impressions move, too',
    [event('a', { ...onPc, eventType: 'impression' }), signIn('ann')],
    { pc: ['a'], ann: ['a'] },
  ],
];

const lookups = {
  pc: onPc,
  ann: { userId: 'ann' },
  bob: { userId: 'bob' },
  'ann on phone': { deviceId: 'phone', userId: 'ann' },
};

for (const [title, steps, expected] of journeys) {
  test(`${title}: one by one, and in one aggregation`, async (t) => {
    const names = Object.keys(expected) as (keyof typeof lookups)[];
    const asked = names.map((name) => ({ environment: 'shop', ...lookups[name], withImpressions: true }));
    const itemsOf = async (found: ReturnType<typeof findHistories>) => {
      const histories = await found;
      const ids = histories.map(({ entries, impressions }) =>
        [...entries, ...impressions].map(({ itemId }) => itemId).sort(),
      );
      return Object.fromEntries(names.map((name, i) => [name, ids[i]]));
    };
    const [single, grouped] = [await createTestDatabase(t), await createTestDatabase(t)];
    for (const step of steps) {
      await commitEvents(single, [step]);
      await aggregateAll(single);
    }
    t.deepEqual(await itemsOf(findHistories(single, asked)), expected);
    const { pending, aggregation, commit } = await createTestNode(grouped);
    await commit(steps);
    const pc = await itemsOf(findHistories(grouped, asked, pending));
    if (expected.pc) t.deepEqual(pc.pc, expected.pc);
    await aggregation.catchUp();
    t.deepEqual(await itemsOf(findHistories(grouped, asked, pending)), expected);
  });
}

test('lines that a node left on their way reach their user once, whoever moves them', async (t) => {
  const db = await createTestDatabase(t);
  await commitEvents(db, [event('a', onPc), signIn('ann')]);
  await db.pool.query(`
    create function keep() returns trigger language plpgsql as 'begin return null; end';
    create trigger keep before delete on handovers for each row execute function keep()`);
  await aggregateAll(db);
  const ann = { environment: 'shop', userId: 'ann' };
  t.is((await findHistories(db, [ann]))[0].entries.length, 1);
  await db.pool.query('drop trigger keep on handovers');
  const { aggregation } = await createTestNode(db);
  await aggregation.catchUp();
  t.is((await findHistories(db, [ann]))[0].entries.length, 1);
  t.is((await db.pool.query('select from handovers')).rowCount, 0);
});
