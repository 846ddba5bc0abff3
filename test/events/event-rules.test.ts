import test from 'ava';
import {
  checkEvent,
  checkFigures,
  type EventFacts,
  type EventFigures,
  mostAheadMs,
} from '../../src/events/event-rules.ts';

const nowMs = 1_000_000;
const facts = (rest: Partial<EventFacts> = {}): EventFacts => ({
  eventType: 'purchase',
  deviceId: 'd',
  ...rest,
});

const checks: [title: string, facts: EventFacts, missing: string[], pointers: string[]][] = [
  ['a device is an identity', facts(), [], []],
  ['a user is an identity', facts({ deviceId: undefined, userId: 'u' }), [], []],
  ['an identity is required', facts({ deviceId: '' }), [], ['/device_id']],
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

const bounds = { largestAmount: 10, largestRevenue: 100 };

const figures: [title: string, figures: EventFigures, pointers: string[], eventType?: string][] = [
  ['an event without figures is in bounds', {}, []],
  ['the largest amount is in bounds', { amount: 10 }, []],
  ['a larger amount is refused', { amount: 10.5 }, ['/amount']],
  ['the largest revenue is in bounds', { amount: 4, purchasedPrice: 25 }, []],
  ['a larger revenue is refused', { amount: 4, purchasedPrice: 25.5 }, ['/purchased_price']],
  ['the default amount is one piece', { purchasedPrice: 101 }, ['/purchased_price']],
  [
    'the original price counts if no price paid is given',
    { amount: 2, originalPrice: 51 },
    ['/original_price'],
  ],
  ['else it does not', { amount: 2, originalPrice: 51, purchasedPrice: 50 }, []],
  ['a refund is in bounds', { amount: -4, purchasedPrice: 25 }, []],
  ['a larger refund is refused', { purchasedPrice: -101 }, ['/purchased_price']],
  ['nothing but a purchase is refunded', { amount: -1 }, ['/amount'], 'add_to_cart'],
  ['a refused amount is not used to check the price', { amount: 11, originalPrice: 51 }, ['/amount']],
];

for (const [title, given, pointers, eventType = 'purchase'] of figures) {
  test(title, (t) => {
    t.deepEqual(
      checkFigures(given, bounds, eventType).map(({ pointer }) => pointer),
      pointers,
    );
  });
}
