import test from 'ava';
import { createDatasetBuilder } from '../../../src/jobs/evaluation/dataset.ts';
import { type ProtocolOptions, splitBy } from '../../../src/jobs/evaluation/protocols.ts';

/** Subject, item and time of each event. */
const data = (events: [string, string, number][]) => {
  const builder = createDatasetBuilder();
  for (const [subjectKey, itemId, timeSeconds] of events) {
    builder.add({ subjectKey, itemId, timeSeconds, eventType: 'detail_pageview' });
  }
  return builder.finish();
};

const split = (events: [string, string, number][], options: ProtocolOptions) => {
  const { interactions, itemIds } = data(events);
  return splitBy(interactions, options).map(({ train, questions }) => ({
    trained: Array.from(train.item, (item) => itemIds[item]),
    asked: questions.map(({ answers }) => Array.from(answers, (item) => itemIds[item])),
  }));
};

const days: [string, string, number][] = [
  ['u', 'a', 1],
  ['u', 'b', 2],
  ['v', 'a', 3],
  ['u', 'c', 5],
  ['u', 'a', 600],
  ['u', 'd', 1200],
  ['w', 'e', 1300],
  ['w', 'f', 1900],
];

test('a time split asks subjects with history about all their later new items', (t) => {
  const [{ trained, asked }] = split(days, { protocol: 'time-split', testFromSeconds: 4 });
  t.deepEqual(trained.sort(), ['a', 'a', 'b']);
  t.deepEqual(asked, [['c', 'd']]);
});

test('rounds divide the test time, and later ones are trained on earlier ones', (t) => {
  const rounds = split(days, { protocol: 'time-split', testFromSeconds: 4, rounds: 2 });
  t.deepEqual(
    rounds.map(({ trained, asked }) => [trained.length, asked]),
    [
      [3, [['c']]],
      [5, [['d']]],
    ],
  );
});

test('the next event is predicted at each event with an earlier one', (t) => {
  const [{ asked }] = split(days, { protocol: 'next-event', testFromSeconds: 4 });
  t.deepEqual(asked, [['c'], ['d'], ['f']]);
});

test('the next click may be an item of the session, but not the one on display', (t) => {
  const clicks: [string, string, number][] = [
    ['u', 'x', 1],
    ['s', 'a', 10],
    ['s', 'a', 11],
    ['s', 'b', 12],
    ['s', 'a', 13],
  ];
  const [{ asked }] = split(clicks, { protocol: 'next-click', testFromSeconds: 5 });
  t.deepEqual(asked, [['b'], ['a']]);
});

test('the next basket is one question, including items bought before', (t) => {
  const [{ asked }] = split(days, { protocol: 'next-basket', testFromSeconds: 500 });
  t.deepEqual(asked, [['a'], ['d'], ['f']]);
});

test('leave-last-out keeps all other events', (t) => {
  const [{ trained, asked }] = split(days, { protocol: 'leave-last-out' });
  t.is(trained.length, days.length - 2);
  t.deepEqual(asked, [['d'], ['f']]);
});

test('questions are thinned evenly', (t) => {
  const [{ asked }] = split(days, { protocol: 'next-event', testFromSeconds: 4, maxQuestions: 2 });
  t.deepEqual(asked, [['c'], ['d']]);
});
