import test from 'ava';
import type { EnvironmentSettings, Registry } from '../../src/deployment/deployment.ts';
import { checkEvent, type EventFacts, findUnregistered, mostAheadMs } from '../../src/events/event-rules.ts';

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

const registry = (onUnknown: Registry['onUnknown'], ...values: string[]): Registry => ({
  values: new Set(values),
  onUnknown,
});

const settings = {
  pageTypes: registry('reject', 'home'),
  channels: registry('warn', 'web'),
  listNames: registry('accept', 'top'),
} as EnvironmentSettings;

test('what a registry does not know is found, unless it accepts everything', (t) => {
  const found = findUnregistered(facts({ pageType: 'x', channel: 'y', listName: 'z' }), settings);
  t.deepEqual(found, [
    { pointer: '/page_type', field: 'page_type', value: 'x', onUnknown: 'reject' },
    { pointer: '/channel', field: 'channel', value: 'y', onUnknown: 'warn' },
  ]);
});

test('known and absent values are no finding, nor is anything without registries', (t) => {
  t.deepEqual(findUnregistered(facts({ pageType: 'home', channel: 'web' }), settings), []);
  t.deepEqual(findUnregistered(facts({}), settings), []);
  t.deepEqual(findUnregistered(facts({ pageType: 'x' }), {} as EnvironmentSettings), []);
});
