/**
 * An environment's audiences on a database: events read in any order, and subjects deleted
 * meanwhile.
 */

import { randomUUID } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import { createPeople } from '../../../src/events/people/people.ts';
import type { AudienceRequest } from '../../../src/jobs/audiences/audience-request.ts';
import { type AudienceEngineOptions, createAudienceEngine } from '../../../src/jobs/audiences/engine.ts';
import { listMembers } from '../../../src/repository/audiences/audiences.ts';
import type { EventRow } from '../../../src/repository/event-row.ts';
import { insertDeletion } from '../../../src/repository/people/deletions.ts';
import { createMarker } from '../../../src/repository/people/marks.ts';
import { createPace } from '../../../src/repository/retention/pace.ts';
import { forget } from '../../../src/repository/retention/retention.ts';
import { createTestDatabase } from '../../support/database.ts';
import { createTestNode, type TestNodeOptions } from '../../support/events.ts';

const environment = 'shop';
const lamp = { itemType: 'product', itemId: 'lamp' };

const eventOf = (fields: Partial<EventRow>): EventRow => ({
  environment,
  eventType: 'detail_pageview',
  occurredAtMs: Date.now(),
  ...lamp,
  robot: false,
  details: {},
  ...fields,
});

let lastId = 0;

const requestOf = (rest: Partial<AudienceRequest> = {}): AudienceRequest => ({
  environment,
  promotion: [lamp],
  integrationType: 'email',
  suppression: { bought: false, mailedSinceSeconds: 0, mailings: [] },
  restrictions: [],
  today: Math.floor(Date.now() / 86_400_000),
  halfLifeDays: 90,
  audienceId: `audience ${++lastId}`,
  audienceName: 'spring',
  audienceSize: 100,
  limit: 100,
  holdOutShare: 0,
  salt: 'salt',
  lifetimeDays: 1,
  ...rest,
});

async function start(t: ExecutionContext) {
  const db = await createTestDatabase(t);
  const openNode = (options?: TestNodeOptions) => createTestNode(db, options);
  const node = await openNode();
  const people = createPeople({ db, catchUp: node.aggregation.catchUp, settleMs: 0 });
  const openEngine = (options: Partial<AudienceEngineOptions> = {}) => {
    const integrationTypes = new Set(['email']);
    return createAudienceEngine({ db, environment, integrationTypes, clock: Date.now, ...options });
  };
  /** Deletes events 30 days after their arrival. */
  const forgetEvents = async (daysLater = 31) => {
    await node.aggregation.catchUp();
    const days = { eventsDays: 30, historiesDays: undefined, metricsDays: undefined, metricNamesDays: 400 };
    const retention = { environment, ...days, attributionWindowMs: 0 };
    return (await forget(db, retention, Date.now() + daysLater * 86_400_000, createPace())).events;
  };
  return { db, node, people, openNode, openEngine, forgetEvents };
}

const idsOf = ({ members }: { members: readonly { id: string }[] }) => members.map(({ id }) => id).toSorted();

const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1);

test('a device counts as the last user seen with it, whichever node stored the events', async (t) => {
  const { node, openNode, openEngine } = await start(t);
  const other = await openNode({ lane: 2 });
  await other.commit([eventOf({ userId: 'first', deviceId: 'tablet', itemId: 'chair' })]);
  await node.commit([eventOf({ userId: 'second', deviceId: 'tablet', itemId: 'chair' })]);
  await node.commit([eventOf({ deviceId: 'tablet', eventType: 'cancel_subscription' })]);
  t.deepEqual(idsOf(await openEngine().create(requestOf())), ['first']);
});

test('the latest of two statements of one second counts, whichever arrived first', async (t) => {
  const { node, openEngine } = await start(t);
  const secondMs = Math.floor(Date.now() / 1_000) * 1_000;
  const says = (userId: string, eventType: string, afterMs: number) =>
    eventOf({ userId, eventType, itemId: undefined, occurredAtMs: secondMs + afterMs });
  await node.commit([eventOf({ userId: 'anna' }), eventOf({ userId: 'ben' })]);
  await node.commit([says('anna', 'cancel_subscription', 700), says('ben', 'start_subscription', 700)]);
  await node.commit([says('anna', 'start_subscription', 300), says('ben', 'cancel_subscription', 300)]);
  t.deepEqual(idsOf(await openEngine().create(requestOf())), ['ben']);
});

test('events after a deletion start a new history, in which an opt-out holds', async (t) => {
  const { node, people, openEngine } = await start(t);
  const engine = openEngine();
  await node.commit([eventOf({ userId: 'anna' }), eventOf({ userId: 'ben' })]);
  t.deepEqual(idsOf(await engine.create(requestOf())), ['anna', 'ben']);
  await people.delete({ environment, kind: 'user', id: 'anna' });
  await node.commit([eventOf({ userId: 'anna', eventType: 'cancel_subscription' })]);
  t.deepEqual(idsOf(await engine.create(requestOf())), ['ben']);
  await node.commit([eventOf({ userId: 'anna' })]);
  t.deepEqual(idsOf(await engine.create(requestOf())), ['ben'], 'the opt-out still holds');
});

test('what was done on a deleted device no longer counts for its user', async (t) => {
  const { node, people, openEngine } = await start(t);
  const engine = openEngine();
  await node.commit([
    eventOf({ deviceId: 'tablet' }),
    eventOf({ deviceId: 'tablet', userId: 'anna', eventType: 'page_visit', itemId: undefined }),
    eventOf({ userId: 'anna', itemId: 'chair' }),
  ]);
  const itemsOf = async () => {
    const { parts } = await engine.explain(requestOf(), { id: 'anna', userType: 'user_id' });
    return parts.map(({ itemId }) => itemId).toSorted();
  };
  t.deepEqual(await itemsOf(), ['chair', 'lamp']);
  await people.delete({ environment, kind: 'device', id: 'tablet' });
  t.deepEqual(await itemsOf(), ['chair']);
});

test('what is done on a device counts for the user who has not signed out yet', async (t) => {
  const { node, people, openEngine } = await start(t);
  const engine = openEngine();
  const onPc = (more: Partial<EventRow>) => eventOf({ deviceId: 'pc', ...more });
  const signOut = onPc({
    ...{ eventType: 'user_interaction', itemId: undefined, details: { interaction_type: 'sign_out' } },
  });
  const itemsOf = async (id: string) => {
    const { parts } = await engine.explain(requestOf(), { id, userType: 'user_id' });
    return parts.map(({ itemId }) => itemId);
  };
  await node.commit([onPc({}), visitOf('anna', 'pc'), signOut]);
  await node.commit([onPc({ itemId: 'chair' }), { ...signOut, isPublic: true }, visitOf('ben', 'pc')]);
  t.deepEqual([await itemsOf('anna'), await itemsOf('ben')], [['lamp'], ['chair']]);
  await people.delete({ environment, kind: 'user', id: 'anna' });
  t.deepEqual(idsOf(await engine.create(requestOf())), ['ben']);
});

test('an audience that is created during a deletion does not contain the subject', async (t) => {
  const { db, node, openEngine } = await start(t);
  await node.commit([eventOf({ userId: 'anna' }), eventOf({ userId: 'ben' })]);
  const { markOf } = await createMarker(db);
  const begun = { receiptId: randomUUID(), environment, kind: 'user' } as const;
  await insertDeletion(db, { ...begun, subjects: [markOf(environment, 'u:anna')] });
  const { audienceId, members } = await openEngine().create(requestOf());
  t.deepEqual(idsOf({ members }), ['ben']);
  const page = { environment, audienceId, heldOut: false, offset: 0, limit: 10 };
  t.deepEqual(
    (await listMembers(db, page)).map(([subject]) => subject),
    ['u:ben'],
  );
});

const visitOf = (userId: string, deviceId: string) =>
  eventOf({ userId, deviceId, eventType: 'page_visit', itemId: undefined });
const optOutOf = (subject: Partial<EventRow>) =>
  eventOf({ ...subject, eventType: 'cancel_subscription', itemId: undefined });

test("an opt-out on a signed-out device stays its user's when the event that links them is past its time", async (t) => {
  const { node, openNode, openEngine, forgetEvents } = await start(t);
  const other = await openNode({ lane: 2 });
  await other.commit([visitOf('anna', 'phone'), visitOf('anna', 'phone'), visitOf('ben', 'laptop')]);
  await node.commit([visitOf('cleo', 'phone'), visitOf('anonymous', 'phone')]);
  await node.commit([optOutOf({ deviceId: 'phone' })]);
  t.is(await forgetEvents(), 4);
  t.is(await forgetEvents(), 0);
  await node.commit([eventOf({ userId: 'anna' }), eventOf({ userId: 'ben' }), eventOf({ userId: 'cleo' })]);
  t.deepEqual(idsOf(await openEngine().create(requestOf())), ['anna', 'ben']);
  await node.commit([visitOf('ben', 'phone')]);
  t.deepEqual(idsOf(await openEngine().create(requestOf())), ['anna', 'cleo']);
  t.is(await forgetEvents(), 4, 'the link to the earlier user expires');
  await node.commit([eventOf({ userId: 'ben' }), eventOf({ userId: 'cleo' })]);
  t.deepEqual(idsOf(await openEngine().create(requestOf())), ['cleo']);
});

test('the opt-out of a user holds for their devices until another user is seen on them', async (t) => {
  const { node, openEngine, forgetEvents } = await start(t);
  await node.commit([visitOf('anna', 'phone'), visitOf('anna', 'tablet')]);
  await node.commit([visitOf('ben', 'tablet'), optOutOf({ userId: 'anna' })]);
  t.is(await forgetEvents(), 2);
  await node.commit([eventOf({ deviceId: 'phone' }), eventOf({ deviceId: 'tablet' })]);
  t.deepEqual(idsOf(await openEngine().create(requestOf())), ['tablet']);
});

const publicly = { isPublic: true };

test('public events opt subjects out and never opt them in again', async (t) => {
  const { node, openEngine } = await start(t);
  const engine = openEngine();
  const idsAfter = async (...events: EventRow[]) => {
    await node.commit(events);
    return idsOf(await engine.create(requestOf()));
  };
  const nowMs = Date.now();
  const optsIn = (eventType: string, more: Partial<EventRow>) =>
    eventOf({ userId: 'anna', itemId: undefined, eventType, occurredAtMs: nowMs + 1_000, ...more });
  const subscribed = { details: { interaction_type: 'subscribe' } };
  t.deepEqual(await idsAfter(eventOf({ userId: 'anna' }), eventOf({ userId: 'ben' })), ['anna', 'ben']);
  t.deepEqual(await idsAfter(optOutOf({ userId: 'anna', occurredAtMs: nowMs, ...publicly })), ['ben']);
  t.deepEqual(await idsAfter(optsIn('start_subscription', publicly)), ['ben']);
  t.deepEqual(await idsAfter(optsIn('user_interaction', { ...subscribed, ...publicly })), ['ben']);
  t.deepEqual(await idsAfter(optsIn('start_subscription', {})), ['anna', 'ben']);
});

test('a public event never makes a device count as its user, nor removes the link to another one', async (t) => {
  const { node, openEngine } = await start(t);
  const engine = openEngine();
  await node.commit([{ ...visitOf('thief', 'phone'), ...publicly }]);
  await node.commit([eventOf({ deviceId: 'phone' })]);
  t.deepEqual(idsOf(await engine.create(requestOf())), ['phone']);
  await node.commit([visitOf('anna', 'phone')]);
  await node.commit([{ ...visitOf('thief', 'phone'), ...publicly }]);
  t.deepEqual(idsOf(await engine.create(requestOf())), ['anna']);
});

/** An opt-in after all other events. */
const optInOf = (subject: Partial<EventRow>) =>
  eventOf({
    ...subject,
    eventType: 'start_subscription',
    itemId: undefined,
    occurredAtMs: Date.now() + 1_000,
  });

for (const [title, optsOut, other] of [
  ['a user', { userId: 'anna' }, { deviceId: 'phone' }],
  ['a device', { deviceId: 'phone' }, { userId: 'anna' }],
] as const)
  test(`an opt-out of ${title} passes over a claimed link, and only the other side can opt in again`, async (t) => {
    const { node, openEngine, forgetEvents } = await start(t);
    const acts = [eventOf({ deviceId: 'phone' }), eventOf({ userId: 'anna' })];
    await node.commit([{ ...visitOf('anna', 'phone'), ...publicly }]);
    await node.commit([{ ...visitOf('thief', 'phone'), ...publicly }, optOutOf(optsOut), ...acts]);
    await node.commit([optInOf({ userId: 'thief' })]);
    t.deepEqual(idsOf(await openEngine().create(requestOf())), []);
    await forgetEvents();
    await node.commit(acts);
    t.deepEqual(idsOf(await openEngine().create(requestOf())), [], 'also after the link has expired');
    await node.commit([optInOf(other)]);
    t.deepEqual(idsOf(await openEngine().create(requestOf())), Object.values(other));
  });

test('expired events do not count, neither on a running node nor on one that starts', async (t) => {
  const { db, node, openEngine, forgetEvents } = await start(t);
  const dayMs = 86_400_000;
  const seen = (userId: string, eventType = 'detail_pageview') => eventOf({ userId, eventType });
  await node.commit([seen('anna'), seen('ben', 'purchase'), seen('cleo', 'batch_open')]);
  await node.commit([visitOf('dora', 'tablet')]);
  await forgetEvents(0);
  await db.pool.query('update events set received_at = $1', [new Date(Date.now() - 31 * dayMs)]);
  await node.commit([seen('ben'), seen('cleo'), seen('dora'), eventOf({ deviceId: 'tablet' })]);
  let nowMs = Date.now() - 2 * dayMs;
  const running = openEngine({ eventsDays: 30, clock: () => nowMs });
  const suppression = { bought: true, mailedSinceSeconds: nowMs / 1_000, mailings: [] };
  t.deepEqual(idsOf(await running.create(requestOf({ suppression }))), ['anna', 'dora']);
  nowMs = Date.now();
  const left = await running.create(requestOf({ suppression }));
  t.deepEqual(idsOf(left), ['ben', 'cleo', 'dora', 'tablet']);
  const { absence } = await running.explain(requestOf(), { id: 'anna', userType: 'user_id' });
  t.is(absence, 'unknown');
  t.is(await forgetEvents(0), 4);
  const started = await openEngine({ eventsDays: 30 }).create(requestOf({ suppression }));
  t.deepEqual(started.members.toSorted(byId), left.members.toSorted(byId));
});
