import test from 'ava';
import { createRefusals, type FaultyEvent } from '../../src/events/refusals.ts';

const violations = [{ pointer: '/amount', detail: 'Must be a number.' }];
const faulty = (document: FaultyEvent['document']): FaultyEvent => ({ document, violations });

test('the latest events come first, each as sent but without its subject', (t) => {
  let nowMs = 1;
  const refusals = createRefusals(() => nowMs);
  refusals.note('shop', 'c_1', [
    faulty({ event_type: 'purchase', device_id: 'd1', user_id: 'u1', amount: 2 }),
  ]);
  nowMs = 5;
  refusals.note('shop', undefined, [faulty({ amount: null, progress: true, channel: { of: ['a'] } })]);
  t.deepEqual(refusals.list('shop'), [
    {
      document: { amount: null, progress: true, channel: '{"of":["a"]}' },
      violations,
      atMs: 5,
      clientId: undefined,
    },
    { document: { event_type: 'purchase', amount: 2 }, violations, atMs: 1, clientId: 'c_1' },
  ]);
  t.deepEqual(refusals.list('news'), []);
  t.deepEqual([refusals.countOf('shop'), refusals.countOf('news'), refusals.sinceMs], [2, 0, 1]);
});

test('the number of remembered events is bounded, and all are counted', (t) => {
  const refusals = createRefusals(() => 1);
  const request = Array.from({ length: 30 }, () => faulty({ list_name: 'x'.repeat(300) }));
  for (let sent = 0; sent < 20; sent++) refusals.note('shop', undefined, request);
  t.is(refusals.countOf('shop'), 600);
  t.is(refusals.list('shop').length, 200);
  t.is(refusals.list('shop')[0].document.list_name, `${'x'.repeat(256)}…`);
  refusals.note('news', undefined, request);
  t.is(refusals.list('news').length, 20);
});
