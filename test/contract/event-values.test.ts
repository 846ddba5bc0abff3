/** Values of single event fields: their types, times, ids, registries and limits. */

import { randomUUID } from 'node:crypto';
import test from 'ava';
import { type Event, type Intake, newDevice, startIntake, visit } from './support/intake.ts';

let intake: Intake;
let send: Intake['send'];
let storedOf: Intake['storedOf'];

test.before(async () => {
  intake = await startIntake();
  ({ send, storedOf } = intake);
});

test.after.always(() => intake?.stop());

const wrongTypes: [field: string, value: unknown][] = [
  ['event_type', 'detail_view'],
  ['event_type', 'EVENT_TYPE_PURCHASE'],
  ['event_type', ''],
  ['event_type', null],
  ['event_type', 1],
  ['device_id', 7],
  ['page_type', ['home']],
  ['request_id', {}],
  ['request_id', 2 ** 60],
  ['amount', '2'],
  ['progress', true],
  ['event_id', []],
  ['user_id', 'a\u0000b'],
  ['page_type', '\ud800'],
];

for (const [field, value] of wrongTypes) {
  test(`${field} ${JSON.stringify(value)} is refused; with partial, only its event is`, async (t) => {
    const device = newDevice();
    const good = visit({ device_id: device });
    const bad = { ...good, [field]: value };
    t.like(await send([good, bad]), {
      status: 400,
      reason: 'body_invalid',
      pointers: [`/events/1/${field}`],
    });
    t.deepEqual(await storedOf(device), []);
    const { status, body } = await send([good, bad], '?partial=true');
    t.is(status, 200);
    t.is(body.accepted_count, 1);
    t.deepEqual(
      body.refused.map(({ index, errors }) => [index, errors[0].pointer]),
      [[1, `/${field}`]],
    );
    t.is((await storedOf(device)).length, 1);
  });
}

const placeholders: [field: string, id: unknown][] = [
  ['user_id', 'undefined'],
  ['user_id', ' Null '],
  ['user_id', '[object Object]'],
  ['user_id', 'anonymous'],
  ['user_id', '"undefined"'],
  ['user_id', '<null>'],
  ['user_id', '{{ user_id }}'],
  ['user_id', '0000'],
  ['device_id', 'NaN'],
  ['device_id', '00000000-0000-0000-0000-000000000000'],
  ['device_id', '  '],
  ['event_id', 0],
  ['event_id', '(null)'],
];

for (const [field, id] of placeholders) {
  test(`${field} ${JSON.stringify(id)} is a placeholder and refused`, async (t) => {
    const device = newDevice();
    const good = visit({ device_id: device });
    const { status, body } = await send([good, { ...good, user_id: 'u', [field]: id }], '?partial=true');
    t.is(status, 200);
    t.deepEqual(
      body.refused.map(({ index, errors }) => [index, errors[0].pointer]),
      [[1, `/${field}`]],
    );
    t.regex(body.refused[0].errors[0].detail, /placeholder_ids/);
    t.is((await storedOf(device)).length, 1);
  });
}

test('the deployment sets the placeholder IDs', async (t) => {
  const send1 = (user_id: string) => send([visit({ user_id })], '', 'registered');
  t.is((await send1('undefined')).status, 200);
  t.like(await send1('nobody'), { status: 400, pointers: ['/events/0/user_id'] });
});

const beyond: [fields: Event, pointer: string][] = [
  [{ amount: 10_001 }, '/events/0/amount'],
  [{ amount: 2, purchased_price: 500_001 }, '/events/0/purchased_price'],
  [{ original_price: 1e12 }, '/events/0/original_price'],
  [{ amount: 1e300, purchased_price: 1e300 }, '/events/0/amount'],
];

for (const [fields, pointer] of beyond) {
  test(`a purchase of ${JSON.stringify(fields)} exceeds the bounds of an event`, async (t) => {
    const purchase = { event_type: 'purchase', action_item: 'a', device_id: newDevice(), ...fields };
    t.like(await send([purchase]), { status: 400, pointers: [pointer] });
    t.deepEqual(await storedOf(purchase.device_id), []);
  });
}

test('the deployment sets the bounds of purchases', async (t) => {
  const purchase = { event_type: 'purchase', action_item: 'a', device_id: newDevice(), amount: 1 };
  const paying = (purchased_price: number) => send([{ ...purchase, purchased_price }], '', 'registered');
  t.is((await paying(20_000_000)).status, 200);
  t.is((await paying(20_000_001)).status, 400);
  t.is((await send([{ ...purchase, purchased_price: 1_000_000 }])).status, 200);
});

test('an element that is not an object is refused; with partial, only this element is', async (t) => {
  t.deepEqual((await send([visit(), 7])).pointers, ['/events/1']);
  const { body } = await send([visit(), 7], '?partial=true');
  t.is(body.accepted_count, 1);
  t.deepEqual(
    body.refused.map(({ index, errors }) => [index, errors[0].pointer]),
    [[1, '']],
  );
});

test('with partial, errors outside the events refuse the request', async (t) => {
  t.like(await intake.http.post('/shop/events?partial=true', {}), { status: 400, pointers: ['/events'] });
  t.like(await intake.http.post('/shop/events?partial=true', '{'), { status: 415, reason: 'body_not_json' });
  t.like(await intake.http.post('/shop/events?partial=1', { events: [visit()] }), {
    status: 400,
    pointers: ['query:partial'],
  });
});

const numbers: [field: string, value: unknown][] = [
  ['request_id', 1234567890123],
  ['request_id', 'r-1'],
  ['event_id', 42],
];

for (const [field, value] of numbers) {
  test(`${field} may be ${JSON.stringify(value)} and is stored unchanged`, async (t) => {
    const device = newDevice();
    t.is((await send([visit({ device_id: device, [field]: value })])).status, 200);
    t.is((await storedOf(device))[0][field], value);
  });
}

test('a repeated event id is accepted and stored once', async (t) => {
  const device = newDevice();
  const event = visit({ device_id: device, event_id: randomUUID() });
  t.is((await send([event, event])).body.accepted_count, 2);
  const together = await Promise.all(Array.from({ length: 20 }, () => send([event, visit()])));
  t.true(together.every(({ status }) => status === 200));
  t.is((await send([event])).body.accepted_count, 1);
  t.is((await storedOf(device)).length, 1);
});

test('concurrent requests with one new event id store it once', async (t) => {
  const device = newDevice();
  const event = visit({ device_id: device, event_id: randomUUID() });
  const answers = await Promise.all(Array.from({ length: 30 }, () => send([event])));
  t.true(answers.every(({ status }) => status === 200));
  t.is((await storedOf(device)).length, 1);
});

test('the same event id in two environments is two events', async (t) => {
  const device = newDevice();
  const event = visit({ device_id: device, event_id: 'one' });
  await send([event]);
  await send([event], '', 'registered');
  t.is((await storedOf(device)).length + (await storedOf(device, 'registered')).length, 2);
});

test('a refused event does not use up its event id', async (t) => {
  const device = newDevice();
  const event = visit({ device_id: device, event_id: randomUUID() });
  t.is((await send([event, visit({ page_type: '' })])).status, 400);
  t.is((await send([event])).status, 200);
  t.is((await storedOf(device)).length, 1);
});

const secondsFromNow = (seconds: number) => Math.floor(Date.now() / 1_000) + seconds;

const goodTimes: [title: string, value: () => unknown][] = [
  ['Unix seconds', () => 1_700_000_000],
  ['Unix seconds with a fraction', () => 1_700_000_000.25],
  ['the epoch', () => 0],
  ['before the epoch', () => -86_400],
  ['RFC 3339 in UTC', () => '2024-02-29T12:00:00Z'],
  ['RFC 3339 with offset and fraction', () => '1999-12-31T23:59:59.999+05:30'],
  ['the first year', () => '0001-01-01T00:00:00Z'],
  ['four minutes ahead', () => secondsFromNow(240)],
];

for (const [title, value] of goodTimes) {
  test(`timestamp: ${title} is accepted and stored as sent`, async (t) => {
    const device = newDevice();
    const timestamp = value();
    t.is((await send([visit({ device_id: device, timestamp })])).status, 200);
    t.is((await storedOf(device))[0].timestamp, timestamp);
  });
}

const badTimes: [title: string, value: () => unknown][] = [
  ['six minutes ahead', () => secondsFromNow(360)],
  ['six minutes ahead in RFC 3339', () => new Date(secondsFromNow(360) * 1_000).toISOString()],
  ['milliseconds', () => Date.now()],
  ['without offset', () => '2024-02-29T12:00:00'],
  ['a date', () => '2024-02-29'],
  ['a day that does not exist', () => '2023-02-29T12:00:00Z'],
  ['Unix seconds as text', () => '1700000000'],
  ['before the first year', () => -1e12],
  ['true', () => true],
];

for (const [title, value] of badTimes) {
  test(`timestamp: ${title} is refused`, async (t) => {
    t.like(await send([visit({ timestamp: value() })]), { status: 400, pointers: ['/events/0/timestamp'] });
  });
}

test('a registry rejects, warns of or accepts unknown values', async (t) => {
  const device = newDevice();
  const registered = (rest: Event) => send([visit({ device_id: device, ...rest })], '', 'registered');
  t.like(await registered({ page_type: 'Home' }), { status: 400, pointers: ['/events/0/page_type'] });
  t.is((await registered({ channel: 'fax' })).status, 200);
  t.is((await registered({ list_name: 'bottom' })).status, 200);
  t.is((await registered({ channel: 'web', list_name: 'top' })).status, 200);
  t.is((await storedOf(device, 'registered')).length, 3);
});

test('extra fields: 100 are kept, one more is refused', async (t) => {
  const device = newDevice();
  const extra = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`x${i}`, i]));
  t.is((await send([visit({ device_id: device, ...extra(100) })])).status, 200);
  t.is(Object.keys((await storedOf(device))[0]).length, 104);
  t.like(await send([visit(extra(101))]), { status: 400 });
});
