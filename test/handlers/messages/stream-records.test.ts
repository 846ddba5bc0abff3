import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import test from 'ava';
import { EventSchema } from '../../../gen/es/personalisation/v1/event_pb.js';
import { readForm } from '../../../src/handlers/messages/stream-records.ts';

const decode = (bytes: Uint8Array) => fromBinary(EventSchema, bytes);
const event = create(EventSchema, { actionItem: 'mug', deviceId: 'd' });

test('a record is a message, JSON or a tombstone, and bytes of neither have no form', (t) => {
  t.is(readForm(null, false), undefined);
  t.is(readForm(null, decode), undefined);
  t.deepEqual(readForm(Buffer.from('{"a":1}'), false), { case: 'json', value: '{"a":1}' });
  t.deepEqual(readForm(toBinary(EventSchema, event), decode), { case: 'message', value: event });
  t.deepEqual(readForm(Buffer.from('no message'), decode), { case: undefined });
  t.deepEqual(readForm(toBinary(EventSchema, event).subarray(0, 2), decode), { case: undefined });
});
