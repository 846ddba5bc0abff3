import test from 'ava';
import { eventBudget } from '../../../src/jobs/training/machine.ts';
import { createProgress } from '../../../src/jobs/training/progress.ts';
import { mayTrain, reasonOf, usualSchedule } from '../../../src/jobs/training/triggers.ts';
import type { TrainingHistory } from '../../../src/repository/training/training-history.ts';

const ended = (
  endedMsAgo: number,
  durationMs: number,
  isLearnt = true,
): Pick<TrainingHistory, 'isPending' | 'last'> => ({
  isPending: false,
  last: { endedMsAgo, durationMs, isLearnt },
});

for (const [meaning, history, environmentCount, expected] of [
  ['the first training may start', { isPending: false }, 1, true],
  ['one runs at a time', { isPending: true }, 1, false],
  ['a short one is followed by a pause of two seconds', ended(1_999, 10), 1, false],
  ['and not more', ended(2_000, 10), 1, true],
  ['a long one is followed by ten times its duration', ended(599_999, 60_000), 1, false],
  ['not earlier', ended(600_000, 60_000), 1, true],
  ['with three environments thirty times', ended(1_799_999, 60_000), 3, false],
  ['a failure is followed by at least a minute', ended(59_999, 10, false), 1, false],
  ['then again', ended(60_000, 10, false), 1, true],
] as const) {
  test(`rest: ${meaning}`, (t) =>
    t.is(mayTrain(history, environmentCount * usualSchedule.restFactor), expected));
}

const learnt = {
  endedMsAgo: 0,
  durationMs: 1_000,
  itemCount: 1_000,
  eventCount: 50_000,
  eventsUntil: { '0.1': 1 },
  itemsUntil: { '0.0': 1 },
};
const hourAgo = { ...learnt, endedMsAgo: 3_600_000 };
const small = { ...learnt, itemCount: 3, eventCount: 0 };

for (const [meaning, last, changes, expected] of [
  ['nothing has changed', hourAgo, { events: 0, items: 0 }, undefined],
  ['a little has changed', learnt, { events: 499, items: 9 }, undefined],
  ['one per cent of the events', learnt, { events: 500, items: 0 }, 'events'],
  ['one per cent of the items', learnt, { events: 0, items: 10 }, 'items'],
  ['a little, and an hour has passed', hourAgo, { events: 1, items: 0 }, 'schedule'],
  ['the first event', small, { events: 1, items: 0 }, 'events'],
  ['one item of a few', small, { events: 0, items: 1 }, 'items'],
] as const) {
  test(`reason: ${meaning}`, (t) =>
    t.is(reasonOf(last, changes, { schedule: usualSchedule, nowMs: 0 }), expected));
}

const minuteMs = 60_000;
const nowMs = Date.parse('2026-03-01T03:10:00Z');
const agoMinutes = (minutes: number) => ({ ...learnt, endedMsAgo: minutes * minuteMs });
const changed = { events: 1, items: 0 };

for (const [meaning, schedule, last, changes, expected] of [
  ['fewer new events than configured', { newEvents: 1_000 }, learnt, { events: 999, items: 0 }, undefined],
  ['as many as configured', { newEvents: 1_000 }, learnt, { events: 1_000, items: 0 }, 'events'],
  ['as many changed items as configured', { changedItems: 2 }, learnt, { events: 0, items: 2 }, 'items'],
  ['the interval is not over', { intervalMinutes: 5 }, agoMinutes(4), changed, undefined],
  ['the interval is over', { intervalMinutes: 5 }, agoMinutes(5), changed, 'schedule'],
  ['a time of day has come', { timesOfDay: [600, 180] }, agoMinutes(20), changed, 'schedule'],
  ['a training has run since', { timesOfDay: [600, 180] }, agoMinutes(5), changed, undefined],
  [
    'the last one started before',
    { timesOfDay: [180] },
    { ...agoMinutes(9), durationMs: 2 * minuteMs },
    changed,
    'schedule',
  ],
  [
    'the time was yesterday',
    { timesOfDay: [1_430], intervalMinutes: 600 },
    agoMinutes(199),
    changed,
    undefined,
  ],
  [
    'the time was yesterday, with no training since',
    { timesOfDay: [1_430], intervalMinutes: 600 },
    agoMinutes(201),
    changed,
    'schedule',
  ],
  [
    'nothing has changed at the time of day',
    { timesOfDay: [180] },
    agoMinutes(50),
    { events: 0, items: 0 },
    undefined,
  ],
] as const) {
  test(`schedule: ${meaning}`, (t) =>
    t.is(reasonOf(last, changes, { schedule: { ...usualSchedule, ...schedule }, nowMs }), expected));
}

test('the events that are read are bounded by the memory', (t) => {
  const gigabyte = 1024 ** 3;
  t.is(eventBudget(0), 500_000);
  t.true(eventBudget(4 * gigabyte) < eventBudget(8 * gigabyte));
  t.is(eventBudget(1_000 * gigabyte), 25_000_000);
});

test('progress rises from 0 to 1, and reports models of the learning stage as that stage', (t) => {
  const told: [string, number][] = [];
  const progress = createProgress((stage, share) => told.push([stage, share]));
  progress.enter('items');
  progress.enter('events');
  progress.advance(0.5);
  for (const stage of [
    'settings',
    'co_visits',
    'ials',
    'co_visits',
    'blend',
    'judging',
    'all_events',
    'co_visits',
    'trending',
    'publishing',
  ])
    progress.enter(stage);
  const shares = told.map(([, share]) => share);
  t.deepEqual(
    shares,
    shares.toSorted((a, b) => a - b),
  );
  t.is(shares[0], 0);
  t.true(shares.at(-1)! < 1);
  const stages = [
    'items',
    'events',
    'settings',
    'held_out',
    'blend',
    'judging',
    'co_visits',
    'trending',
    'publishing',
  ];
  t.deepEqual([...new Set(told.map(([stage]) => stage))], stages);
});
