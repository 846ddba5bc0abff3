import { create, type Message } from '@bufbuild/protobuf';
import test from 'ava';
import {
  CreateEventsRequestSchema,
  CreateEventsResponseSchema,
  EventService,
  ImportEventsRequestSchema,
  ImportEventsResponseSchema,
} from '../../../gen/es/personalisation/v1/event_service_pb.js';
import type { Violation } from '../../../src/errors.ts';
import type { Call, Transport } from '../../../src/handlers/chain/call.ts';
import { createOperations } from '../../../src/handlers/chain/chain.ts';
import type { Operation } from '../../../src/handlers/chain/operation.ts';
import type { Authenticator } from '../../../src/security/authenticate.ts';

/** The event operations, with a record of the chain's steps. */
function prepare(violations: Violation[] = [], overrides: Partial<Authenticator> = {}, isImplemented = true) {
  const diary: string[] = [];
  const handlers = {
    createEvents: async () => {
      diary.push('handle');
      return create(CreateEventsResponseSchema);
    },
    importEvents: async function* (requests: AsyncIterable<Message>) {
      for await (const _ of requests) {
        diary.push('handle');
        yield create(ImportEventsResponseSchema);
      }
    },
  };
  const operations = createOperations({
    implementations: [{ service: EventService, handlers: isImplemented ? handlers : {} }],
    authenticator: {
      admit: async (_call, { scope, writeKeyAllowed }) =>
        void diary.push(`authenticate ${scope} ${writeKeyAllowed}`),
      reachOf: () => 'everywhere',
      remain: async () => void diary.push('remain'),
      enter: (_call, { scope }, environment) => void diary.push(`authorise ${scope} ${environment}`),
      require: (_call, { area, subject }) => void diary.push(`require ${area} for ${subject}`),
      ...overrides,
    },
    limitRate: () => void diary.push('limit'),
    hasEnvironment: (name) => name !== 'nowhere',
    servesEnvironment: (name) => name !== 'elsewhere',
    validate: () => violations,
  });
  return { diary, of: (name: string) => operations.get(`personalisation.v1.EventService/${name}`)! };
}

type Unary = Operation & { kind: 'unary' };
type Stream = Operation & { kind: 'stream' };

const call = (transport: Transport): Call => ({ transport, requestId: 'r', peer: 'p' });
const request = create(CreateEventsRequestSchema, { environment: 'shop' });

test('a call is authenticated and counted by its headers, then authorised for its environment', async (t) => {
  const { diary, of } = prepare();
  await of('CreateEvents').admit(call('grpc'));
  t.deepEqual(diary, ['authenticate events true', 'limit']);
  of('CreateEvents').enter(call('grpc'), 'shop');
  t.deepEqual(diary.slice(2), ['authorise events shop']);
});

test('unknown callers cannot detect environments', async (t) => {
  const refuse = () => {
    throw new Error('stranger');
  };
  const { of } = prepare([], { enter: refuse });
  t.throws(() => of('CreateEvents').enter(call('grpc'), 'nowhere'), { message: 'stranger' });
});

test('an unknown environment is refused', async (t) => {
  const refused = t.throws(() => prepare().of('CreateEvents').enter(call('grpc'), 'nowhere'));
  t.like(refused, { reason: 'ENVIRONMENT_UNKNOWN', metadata: { environment: 'nowhere' } });
});

const inEvent = { pointer: '/events/3/amount', detail: 'Must be at least 0.' };
const around = { pointer: '/events', detail: 'Must not be empty.' };

test('violations inside events are passed to the handler', async (t) => {
  const { diary, of } = prepare([inEvent]);
  const given = call('grpc');
  await (of('CreateEvents') as Unary).handle(request, given);
  t.deepEqual(given.violations, [inEvent]);
  t.deepEqual(diary, ['handle']);
});

test('violations outside the events refuse the request, with all violations', async (t) => {
  const { diary, of } = prepare([around, inEvent]);
  const refused = await t.throwsAsync(async () =>
    (of('CreateEvents') as Unary).handle(request, call('connect')),
  );
  t.like(refused, { reason: 'BODY_INVALID', violations: [around, inEvent] });
  t.deepEqual(diary, []);
});

test('requests over HTTP are not validated again', async (t) => {
  const { diary, of } = prepare([around]);
  await (of('CreateEvents') as Unary).handle(request, call('http'));
  t.deepEqual(diary, ['handle']);
});

test('an rpc without a handler is NOT_IMPLEMENTED after the same checks', async (t) => {
  const { of } = prepare([], {}, false);
  const handle = (of('CreateEvents') as Unary).handle;
  t.like(await t.throwsAsync(async () => handle(request, call('grpc'))), { reason: 'NOT_IMPLEMENTED' });
});

async function importAll(operation: Stream, environments: string[]): Promise<number> {
  const requests = (async function* () {
    for (const environment of environments) yield create(ImportEventsRequestSchema, { environment });
  })();
  let count = 0;
  for await (const _ of operation.handle(requests, call('grpc'))) count++;
  return count;
}

test('a stream is authorised again whenever its environment changes', async (t) => {
  const { diary, of } = prepare();
  t.is(await importAll(of('ImportEvents') as Stream, ['a', 'a', 'b']), 3);
  const entered = diary.filter((line) => line !== 'remain');
  t.deepEqual(entered, ['authorise events a', 'handle', 'handle', 'authorise events b', 'handle']);
});

for (const [asks, handled] of [
  [1, 1],
  [2, 1],
  [3, 2],
])
  test(`if a caller loses access at check ${asks} of a stream, ${handled} messages are handled`, async (t) => {
    let left = asks;
    const { diary, of } = prepare([], {
      remain: async () => {
        left -= 1;
        if (left === 0) throw new Error('disabled');
      },
    });
    const ended = importAll(of('ImportEvents') as Stream, ['a', 'a', 'a']);
    await t.throwsAsync(ended, { message: 'disabled' });
    t.is(diary.filter((line) => line === 'handle').length, handled);
  });

test('violations inside records are passed to the import, others end the stream', async (t) => {
  const inRecord = { pointer: '/events/0/event/amount', detail: 'Must be at least 0.' };
  t.is(await importAll(prepare([inRecord]).of('ImportEvents') as Stream, ['a']), 1);
  const ended = importAll(prepare([inRecord, around]).of('ImportEvents') as Stream, ['a']);
  t.like(await t.throwsAsync(ended), { violations: [around] });
});
