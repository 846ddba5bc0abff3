/** Watching events: the newest ones, later ones, and refused ones. */

import { Code, ConnectError, createClient } from '@connectrpc/connect';
import { createGrpcTransport } from '@connectrpc/connect-node';
import test from 'ava';
import { EventService } from '../../gen/es/personalisation/v1/event_service_pb.js';
import { type Intake, newDevice, startIntake, visit } from './support/intake.ts';

let intake: Intake;

test.before(async () => {
  intake = await startIntake();
});

test.after.always(() => intake?.stop());

const rpc = () =>
  createClient(EventService, createGrpcTransport({ baseUrl: `http://${intake.service.grpcAddress}` }));
const options = () => ({ headers: { authorization: intake.service.authorization } });

const environment = 'shop';

test('the newest events are listed in the order of arrival, and then later ones', async (t) => {
  const visitor = newDevice();
  const said = (channel: string) => visit({ device_id: visitor, channel });
  await intake.send([said('one')]);
  await intake.send([{ ...said('two'), event_id: `id of ${visitor}` }, said('three')]);
  const channelsOf = (events: { json: string }[]) => events.map(({ json }) => JSON.parse(json).channel);
  const first = await rpc().listEvents({ environment, visitor, pageSize: 2 }, options());
  t.true(first.leftOut);
  t.is(first.events.length, 2);
  t.false(channelsOf(first.events).includes('one'));
  t.is(typeof JSON.parse(first.events[0].json).timestamp, 'number');
  const idle = await rpc().listEvents({ environment, visitor, position: first.position }, options());
  t.deepEqual(idle.events, []);
  await intake.send([said('four')]);
  const next = await rpc().listEvents({ environment, visitor, position: idle.position }, options());
  t.deepEqual(channelsOf(next.events), ['four']);
  t.false(next.leftOut);
});

test('events of one request are listed in order, limited to the newest', async (t) => {
  const visitor = newDevice();
  await intake.send(Array.from({ length: 6 }, (_, place) => visit({ device_id: visitor, place })));
  const places = async (pageSize: number) => {
    const { events } = await rpc().listEvents({ environment, visitor, pageSize }, options());
    return events.map(({ json }) => JSON.parse(json).place);
  };
  t.deepEqual(await places(6), [0, 1, 2, 3, 4, 5]);
  t.deepEqual(await places(2), [4, 5]);
});

test('events are filtered by type, page and item', async (t) => {
  const visitor = newDevice();
  const bought = { event_type: 'purchase', action_item: 'lamp', device_id: visitor };
  await intake.send([
    visit({ device_id: visitor }),
    visit({ device_id: visitor, page_type: 'help' }),
    bought,
  ]);
  const countOf = async (filter: object) =>
    (await rpc().listEvents({ environment, visitor, ...filter }, options())).events.length;
  t.is(await countOf({}), 3);
  t.is(await countOf({ eventTypes: ['page_visit', 'click_on_recommendation'] }), 2);
  t.is(await countOf({ pageType: 'help' }), 1);
  t.is(await countOf({ itemId: 'lamp' }), 1);
  t.is(await countOf({ itemId: 'table' }), 0);
});

test('an invalid position is refused', async (t) => {
  for (const position of ['nonsense', Buffer.from('{"0.1":"x"}').toString('base64url')]) {
    const error = await t.throwsAsync(rpc().listEvents({ environment, position }, options()));
    t.is(ConnectError.from(error).code, Code.InvalidArgument);
  }
});

test('refused events are remembered with their reasons, but without personal IDs', async (t) => {
  const list = () => rpc().listRefusedEvents({ environment }, options());
  const before = await list();
  const whose = { device_id: newDevice(), user_id: 'ann', mail: 'ann@example.org' };
  await intake.send([visit(), visit({ ...whose, channel: 'x'.repeat(300) })]);
  await intake.send(
    Array.from({ length: 30 }, () => visit({ ...whose, progress: 2 })),
    '?partial=true',
  );
  const { events, refusedCount } = await list();
  t.is(Number(refusedCount - before.refusedCount), 31);
  t.is(events.filter(({ errors }) => errors[0].pointer === '/progress').length, 20);
  const first = events.find(({ errors }) => errors.some(({ pointer }) => pointer === '/channel'));
  t.like(first, { clientId: intake.service.admin.clientId, eventType: 'page_visit' });
  t.deepEqual(Object.keys(JSON.parse(first!.json)), ['event_type', 'page_type', 'channel']);
  t.is(JSON.parse(first!.json).channel.length, 257);
});
