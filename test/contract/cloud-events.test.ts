/** CloudEvents 1.0 at the path of events: structured, binary and batch mode. */

import test from 'ava';
import type { Answer } from '../support/json-client.ts';
import { type Intake, newDevice, startIntake } from './support/intake.ts';

type Fields = Record<string, unknown>;
type Mode = { name: string; send(data: unknown, over?: Fields, query?: string): Promise<Answer> };

let intake: Intake;

test.before(async () => {
  intake = await startIntake();
});
test.after.always(() => intake.stop());

let count = 0;
const attributes = (over: Fields = {}): Fields => ({
  specversion: '1.0',
  id: `e-${count++}`,
  source: '/pages/shop',
  type: 'example.page.visited',
  time: '2026-01-02T03:04:05.678Z',
  ...over,
});
const visit = (device = newDevice()) => ({ event_type: 'page_visit', page_type: 'home', device_id: device });

const post = (body: unknown, headers: Record<string, string>, query = '') =>
  intake.http.post(`/shop/events${query}`, body, headers);

const structured = { 'content-type': 'application/cloudevents+json; charset=UTF-8' };
const batched = { 'content-type': 'application/cloudevents-batch+json' };
const headersOf = (given: Fields) =>
  Object.fromEntries(
    Object.entries(given).map(([name, value]) => [`ce-${name}`, encodeURIComponent(String(value))]),
  );

const modes: Mode[] = [
  {
    name: 'structured',
    send: (data, over, query) =>
      post({ ...attributes(over), datacontenttype: 'application/json', data }, structured, query),
  },
  { name: 'binary', send: (data, over, query) => post(data, headersOf(attributes(over)), query) },
  { name: 'batch', send: (data, over, query) => post([{ ...attributes(over), data }], batched, query) },
];

for (const { name, send } of modes) {
  test(`${name} mode: data is the event, source and id its event_id, time its timestamp`, async (t) => {
    const device = newDevice();
    const over = { id: `ü "${device}"`, extension1: 'x' };
    t.like(await send(visit(device), over), { status: 200, body: { accepted_count: 1, duplicate_count: 0 } });
    t.like(await send(visit(device), over), { status: 200, body: { accepted_count: 1, duplicate_count: 1 } });
    const other = { ...over, source: '/pages/other' };
    t.like(await send(visit(device), other), { body: { duplicate_count: 0 } });
    const [first, second] = await intake.storedOf(device);
    t.deepEqual(first, {
      ...visit(device),
      event_id: `/pages/shop ${over.id}`,
      timestamp: '2026-01-02T03:04:05.678Z',
    });
    t.is(second.event_id, `/pages/other ${over.id}`);
  });

  test(`${name} mode: an envelope that is wrong is refused with its attribute`, async (t) => {
    const wrong: [Fields, string][] = [
      [{ specversion: '0.3' }, 'specversion'],
      [{ id: '' }, 'id'],
      [{ source: 'a b' }, 'source'],
      [{ source: '' }, 'source'],
      [{ type: 'x'.repeat(1025) }, 'type'],
      [{ time: 'yesterday' }, 'time'],
      [{ dataschema: 'relative' }, 'dataschema'],
      [{ subject: '' }, 'subject'],
      [{ 'not-a-name': 'x' }, 'not-a-name'],
    ];
    for (const [over, pointer] of wrong)
      t.like(
        await send(visit(), over),
        { status: 400, reason: 'body_invalid', pointers: [`/events/0/${pointer}`] },
        pointer,
      );
    t.deepEqual((await send({ ...visit(), page_type: '' })).pointers, ['/events/0/page_type']);
  });
}

test('a batch is stored entirely or, with partial, without its faulty events', async (t) => {
  const device = newDevice();
  const batch = [
    { ...attributes(), data: visit(device) },
    { ...attributes(), id: undefined, data: visit(device) },
    { ...attributes(), data: { ...visit(device), event_type: 'nonsense' } },
    'text',
    { ...attributes(), data_base64: 'e30=' },
    { ...attributes(), data: visit(device), nested: {} },
  ];
  const pointers = [
    '/events/1/id',
    '/events/2/event_type',
    '/events/3',
    '/events/4/data',
    '/events/5/nested',
  ];
  const whole = await post(batch, batched);
  t.deepEqual([...new Set(whole.pointers)].sort(), [...pointers, '/events/4/data_base64'].sort());
  t.is((await intake.storedOf(device)).length, 0);
  const part = await post(batch, batched, '?partial=true');
  t.like(part, { status: 200, body: { accepted_count: 1 } });
  const { refused } = part.body as { refused: { index: number }[] };
  t.deepEqual(
    refused.map(({ index }) => index),
    [1, 2, 3, 4, 5],
  );
  t.is((await intake.storedOf(device)).length, 1);
});

test('a batch is an array of at most 10,000 events', async (t) => {
  t.like(await post({ ...attributes(), data: visit() }, batched), { reason: 'body_invalid', pointers: [''] });
  t.like(await post([], batched), { reason: 'body_invalid', pointers: ['/events'] });
  const many = Array.from({ length: 10_001 }, () => ({}));
  t.like(await post(many, batched), { reason: 'body_invalid', pointers: ['/events'] });
});

test('an event_id and a timestamp of the data count before those of the envelope', async (t) => {
  const device = newDevice();
  const data = { ...visit(device), event_id: device, timestamp: 1_700_000_000 };
  await post({ ...attributes(), data }, structured);
  t.like(await post({ ...attributes(), data }, structured), { body: { duplicate_count: 1 } });
  t.deepEqual(await intake.storedOf(device), [data]);
});

test('a long source is shortened to an event_id that is still its own', async (t) => {
  const device = newDevice();
  const source = `/${'x'.repeat(1_000)}`;
  const send = (id: string) => post({ ...attributes(), source, id, data: visit(device) }, structured);
  const counts = [];
  for (const id of [device, `${device}-2`, device])
    counts.push(((await send(id)).body as { duplicate_count: number }).duplicate_count);
  t.deepEqual(counts, [0, 0, 1]);
});

test('a body that is not JSON is refused', async (t) => {
  for (const headers of [structured, batched, headersOf(attributes())])
    t.is((await post('{', headers)).reason, 'body_not_json');
});

test('malformed headers of the binary mode are refused', async (t) => {
  const headers = { ...headersOf(attributes()), 'ce-subject': '%ff' };
  t.deepEqual((await post(visit(), headers)).pointers, ['/events/0/subject']);
  t.like(await post('<x/>', { ...headers, 'content-type': 'application/xml' }), { status: 415 });
  const { 'ce-specversion': _, ...rest } = headersOf(attributes());
  t.deepEqual((await post(visit(), rest)).pointers, ['/events/0/specversion']);
});
