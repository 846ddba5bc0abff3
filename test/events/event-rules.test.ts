import test from 'ava';
import { checkEvent, type EventFacts, mostAheadMs } from '../../src/events/event-rules.ts';

const nowMs = 1_000_000;
const facts = (rest: Partial<EventFacts> = {}): EventFacts => ({
  eventType: 'purchase',
  deviceId: 'd',
  ...rest,
});

const checks: [title: string, facts: EventFacts, missing: string[], pointers: string[]][] = [
  ['a device is an identity', facts(), [], []],
  ['a user is an identity', facts({ deviceId: undefined, userId: 'u' }), [], []],
  ['there must be one', facts({ deviceId: '' }), [], ['/device_id']],
  ['each missing field is named', facts(), ['page_type', 'action_item'], ['/page_type', '/action_item']],
  ['five minutes ahead is accepted', facts({ occurredAtMs: nowMs + mostAheadMs }), [], []],
  ['more is refused', facts({ occurredAtMs: nowMs + mostAheadMs + 1 }), [], ['/timestamp']],
  ['any age is accepted', facts({ occurredAtMs: -1e15 }), [], []],
];

for (const [title, event, missing, pointers] of checks) {
  test(title, (t) => {
    t.deepEqual(
      checkEvent(event, missing, nowMs).map(({ pointer }) => pointer),
      pointers,
    );
  });
}
