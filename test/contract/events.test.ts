/** The contract of event intake: required fields, stored fields, and atomic requests. */

import test from 'ava';
import { type Event, type Intake, newDevice, startIntake, visit } from './support/intake.ts';
import type { Operation } from './support/operation.ts';
import {
  createTransports,
  type Expected,
  isAnsweredEverywhere,
  type Transports,
} from './support/same-answer.ts';

/** Fields beside the identity, as listed in the interface: [required, optional]. */
const eventTypes: Record<string, [required: string[], optional: string[]]> = {
  detail_pageview: [
    ['page_type', 'action_item'],
    ['action_item_type', 'channel'],
  ],
  group_pageview: [
    ['page_type', 'action_group'],
    ['action_group_type', 'channel'],
  ],
  page_visit: [['page_type'], ['channel']],
  item_interaction: [
    ['page_type', 'interaction_type', 'action_item'],
    ['action_item_type', 'channel'],
  ],
  group_interaction: [
    ['page_type', 'action_group', 'interaction_type'],
    ['action_group_type', 'channel'],
  ],
  impression: [
    ['page_type', 'list_name', 'action_item', 'request_id', 'user_group'],
    ['action_item_type', 'context_item', 'context_item_type', 'channel', 'version'],
  ],
  click_on_recommendation: [
    ['page_type', 'list_name', 'action_item', 'request_id', 'user_group'],
    ['action_item_type', 'context_item', 'context_item_type', 'channel', 'version'],
  ],
  batch_open: [['page_type', 'campaign_id'], ['channel']],
  batch_impression: [
    ['page_type', 'list_name', 'action_item', 'request_id', 'campaign_id'],
    ['action_item_type', 'channel'],
  ],
  batch_click_on_recommendation: [
    ['page_type', 'list_name', 'action_item', 'request_id', 'campaign_id'],
    ['action_item_type', 'channel'],
  ],
  search_impression: [
    ['page_type', 'list_name', 'action_item', 'request_id'],
    ['action_item_type', 'channel'],
  ],
  search_click_on_recommendation: [
    ['page_type', 'list_name', 'action_item', 'request_id'],
    ['action_item_type', 'channel'],
  ],
  add_to_cart: [['action_item'], ['action_item_type', 'amount', 'original_price', 'channel']],
  remove_from_cart: [['action_item'], ['action_item_type', 'amount', 'channel']],
  purchase: [['action_item'], ['action_item_type', 'amount', 'original_price', 'purchased_price', 'channel']],
  session_impression: [['action_item'], ['request_id', 'list_name', 'user_group', 'version']],
  session_click_on_recommendation: [['action_item'], ['request_id', 'list_name', 'user_group', 'version']],
  checkpoint: [['action_item'], ['action_item_type', 'progress', 'channel']],
  user_interaction: [[], ['interaction_type', 'page_type', 'channel']],
  start_subscription: [[], ['page_type', 'channel']],
  cancel_subscription: [[], ['page_type', 'channel']],
};

const values: Event = { amount: 2, original_price: 9.5, purchased_price: 7.25, progress: 0.5 };

const withFields = (eventType: string, fields: string[], identity: Event): Event => ({
  event_type: eventType,
  ...identity,
  ...Object.fromEntries(fields.map((field) => [field, values[field] ?? `some ${field}`])),
});

const tidy: (() => void | Promise<void>)[] = [];
let transports: Transports;
let send: Intake['send'];
let storedOf: Intake['storedOf'];

test.before(async () => {
  const intake = await startIntake();
  ({ send, storedOf } = intake);
  transports = createTransports({ teardown: (close) => tidy.push(close) }, intake.service);
  tidy.push(intake.stop);
});

test.after.always(async () => {
  for (const close of tidy) await close();
});

for (const [eventType, [required, optional]] of Object.entries(eventTypes)) {
  test(`${eventType} needs an identity${required.map((field) => `, ${field}`).join('')}, and no more`, async (t) => {
    const device = newDevice();
    const fields = [...required, ...optional];
    for (const identity of [{ device_id: device }, { user_id: 'u' }, { device_id: device, user_id: 'u' }]) {
      t.like(await send([withFields(eventType, required, identity)]), { status: 200 });
      t.like(await send([withFields(eventType, fields, identity)]), { status: 200 });
    }
    t.like(await send([withFields(eventType, required, {})]), {
      status: 400,
      reason: 'body_invalid',
      pointers: ['/events/0/device_id'],
    });
    for (const missing of required) {
      const rest = fields.filter((field) => field !== missing);
      const answer = await send([withFields(eventType, rest, { device_id: device })]);
      t.like(answer, { status: 400, reason: 'body_invalid', pointers: [`/events/0/${missing}`] });
    }
  });
}

test('an event is stored as sent, including unknown fields', async (t) => {
  const device = newDevice();
  const sent = {
    ...withFields('impression', eventTypes.impression.flat(), { device_id: device, user_id: 'ü' }),
    experiment: { arms: [1, null, 'x'], on: true },
    empty: [],
    timestamp: 1_700_000_000.5,
  };
  t.is((await send([sent])).status, 200);
  t.deepEqual(await storedOf(device), [sent]);
});

test('an event without a timestamp has its time of arrival', async (t) => {
  const device = newDevice();
  const earliest = Date.now() / 1_000;
  await send([{ event_type: 'page_visit', page_type: 'home', device_id: device }]);
  const [{ timestamp }] = await storedOf(device);
  t.true((timestamp as number) >= earliest - 0.001 && (timestamp as number) <= Date.now() / 1_000);
});

test('an empty identity is absent, and an empty required field is missing', async (t) => {
  const event = { event_type: 'page_visit', device_id: '', user_id: '', page_type: '' };
  t.deepEqual((await send([event])).pointers.sort(), ['/events/0/device_id', '/events/0/page_type']);
});

test('one invalid event among many: none is stored, and every invalid index and field is reported', async (t) => {
  const device = newDevice();
  const events = Array.from({ length: 300 }, (_, i) =>
    withFields(
      'purchase',
      i === 7 ? [] : ['action_item'],
      i === 250 ? {} : { device_id: device, progress: i === 99 ? -1 : 1 },
    ),
  );
  const answer = await send(events);
  t.like(answer, { status: 400, reason: 'body_invalid' });
  const bad = ['/events/250/device_id', '/events/7/action_item', '/events/99/progress'];
  t.deepEqual(answer.pointers.sort(), bad);
  t.deepEqual(await storedOf(device), []);
});

test('all violations are reported over HTTP, and over gRPC as far as trailers carry them', async (t) => {
  const events = Array.from({ length: 10_000 }, () => ({ event_type: 'impression', device_id: 'd' }));
  const { pointers } = await send(events);
  t.is(pointers.length, 10_000 * eventTypes.impression[0].length);
  const { outcome } = await transports.grpc(creation(events));
  t.false(outcome.ok);
  if (!outcome.ok) t.deepEqual(outcome.pointers, pointers.slice(0, outcome.pointers.length));
  t.like(outcome, { reason: 'BODY_INVALID' });
});

const rpcEvent = ({ event_type: eventType, ...rest }: Event): Event => ({
  eventType: `EVENT_TYPE_${String(eventType).toUpperCase()}`,
  ...Object.fromEntries(
    Object.entries(rest).map(([name, value]) => [
      name.replaceAll(/_(.)/g, (_, letter) => letter.toUpperCase()),
      value,
    ]),
  ),
});

const creation = (events: Event[], partial = false): Operation => ({
  rpc: 'EventService/CreateEvents',
  method: 'POST',
  path: `/shop/events${partial ? '?partial=true' : ''}`,
  body: { events },
  message: { environment: 'shop', partial, batch: { events: events.map(rpcEvent) } } as Operation['message'],
});

const refusal = (...pointers: string[]): Expected => ({ status: 400, reason: 'body_invalid', pointers });

const noDuplicates = { duplicate_count: 0, duplicate_indexes: [] };

const requests: [title: string, operation: Operation, expected: Expected][] = [
  [
    'one event',
    creation([visit()]),
    { status: 200, body: { ...noDuplicates, accepted_count: 1, refused: [] } },
  ],
  ['no event', creation([]), refusal('/events')],
  ['a missing field', creation([visit(), visit({ page_type: '' })]), refusal('/events/1/page_type')],
  ['no identity', creation([visit({ device_id: '' })]), refusal('/events/0/device_id')],
  ['a negative price', creation([visit({ original_price: -1 })]), refusal('/events/0/original_price')],
  ['progress above 1', creation([visit({ progress: 1.5 })]), refusal('/events/0/progress')],
  [
    'a user id of 257 characters',
    creation([visit({ user_id: 'x'.repeat(257) })]),
    refusal('/events/0/user_id'),
  ],
  [
    'violations of both kinds in different events',
    creation([visit({ page_type: '' }), visit({ progress: -1 })]),
    refusal('/events/0/page_type', '/events/1/progress'),
  ],
  [
    'some of them invalid, with partial',
    creation([visit(), visit({ page_type: '' }), visit({ progress: -1 }), visit()], true),
    {
      status: 200,
      body: {
        ...noDuplicates,
        accepted_count: 2,
        refused: [
          { index: 1, errors: [{ pointer: '/page_type', detail: 'Is required for page_visit.' }] },
          { index: 2, errors: [{ pointer: '/progress', detail: 'Must be at least 0.' }] },
        ],
      },
    },
  ],
  ['10,001 events', creation(Array.from({ length: 10_001 }, () => visit())), refusal('/events')],
  [
    '10,001 events, with partial',
    creation(
      Array.from({ length: 10_001 }, () => visit()),
      true,
    ),
    refusal('/events'),
  ],
];

for (const [title, operation, expected] of requests) {
  test(`the answer is the same over every transport: ${title}`, (t) =>
    isAnsweredEverywhere(t, transports, operation, expected));
}
