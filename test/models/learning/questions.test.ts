import test from 'ava';
import { holdOut } from '../../../src/models/learning/held-out.ts';
import {
  type Asking,
  askAbout,
  eventsBefore,
  recentsBefore,
} from '../../../src/models/learning/questions.ts';
import { view, worldOf } from '../world.ts';

const interactionsOf = (events: [subject: string, item: number, time: number][]) =>
  worldOf(
    Array.from({ length: 20 }, () => ({})),
    events.map(([subject, item, time]) => view(subject, item, time)),
  ).interactions;

const always = { fromSeconds: 0, untilSeconds: Number.POSITIVE_INFINITY };

const answers = (events: [string, number, number][], asking: Asking) =>
  askAbout(interactionsOf(events), always, asking).map((question) => [...question.answers]);

const visits: [string, number, number][] = [
  ['u', 1, 0],
  ['u', 2, 1000],
  ['u', 1, 2000],
  ['u', 3, 2010],
];

test('answers are the next items, without what the subject met when that is excluded', (t) => {
  const asking: Asking = { per: 'event', excluded: 'met', horizon: 2 };
  t.deepEqual(answers(visits, asking), [[2, 3], [3], [3]]);
  t.deepEqual(answers(visits, { ...asking, excluded: 'last' }), [[2, 3], [1, 3], [3]]);
  t.deepEqual(answers(visits, { ...asking, excluded: 'none' }), [[2, 1], [1, 3], [3]]);
});

test('with one step ahead a step back to the excluded is no question', (t) => {
  t.deepEqual(answers(visits, { per: 'event', excluded: 'met', horizon: 1 }), [[2], [3]]);
});

test('an occasion is asked about as a whole', (t) => {
  t.deepEqual(answers(visits, { per: 'occasion', excluded: 'none', horizon: 9 }), [[2], [1, 3]]);
});

test('a history holds each item once, newest first, with its age and all its weight', (t) => {
  const source = interactionsOf(visits);
  t.deepEqual(recentsBefore(source, { subject: 0, event: 3, answers: new Int32Array(0) }, 10), [
    { itemIndex: 1, ageSeconds: 0, weight: 2, contacts: 2 },
    { itemIndex: 2, ageSeconds: 1000, weight: 1, contacts: 1 },
  ]);
});

test('what was bought again and again counts in full before it was, and models do not know that it would be', (t) => {
  const purchases = Array.from({ length: 40 }, (_, week): [string, number, number] => [
    'u',
    week % 2,
    1000 * week,
  ]);
  const source = worldOf(
    Array.from({ length: 20 }, () => ({})),
    purchases.map(([subjectKey, item, timeSeconds]) => ({
      ...view(subjectKey, item, timeSeconds),
      eventType: 'purchase',
    })),
  ).interactions;
  const [recent] = recentsBefore(source, { subject: 0, event: 10, answers: new Int32Array(0) }, 5);
  t.is(recent.weight, 25);
  const before = eventsBefore(source, 10_000);
  t.is(
    before.weight.reduce((sum, weight) => sum + Math.round(weight), 0),
    20,
  );
});

test('models learn nothing of what is held back, and slices are added until there are enough questions', (t) => {
  const events = Array.from({ length: 100 }, (_, at): [string, number, number] => [
    `u${at % 4}`,
    at % 20,
    at,
  ]);
  const asking: Asking = { per: 'event', excluded: 'none', horizon: 1 };
  const slices = holdOut(interactionsOf(events), { asking, wantedQuestions: 15 });
  t.is(slices.length, 2);
  t.deepEqual(
    slices.map(({ train }) => train.item.length),
    [90, 80],
  );
  for (const { train, source, questions } of slices) {
    const newest = Math.max(...train.timeSeconds);
    for (const { event } of questions) t.true(source.timeSeconds[event] > newest);
  }
});

test('events without time are held back by subject, the same ones every time', (t) => {
  const events = Array.from({ length: 200 }, (_, at): [string, number, number] => [
    `u${at % 10}`,
    Math.floor(at / 10),
    0,
  ]);
  const asking: Asking = { per: 'subject', excluded: 'met', horizon: 9 };
  const slices = holdOut(interactionsOf(events), { asking, wantedQuestions: 1000 });
  const [slice] = slices;
  for (const { questions, train } of slices)
    t.is(
      questions.reduce((sum, question) => sum + question.answers.length, 0),
      200 - train.item.length,
    );
  const asked = slices.flatMap(({ questions }) => questions.map(({ subject }) => subject));
  t.is(new Set(asked).size, asked.length, 'no subject twice');
  t.deepEqual(
    holdOut(interactionsOf(events), { asking, wantedQuestions: 1000 })[0].questions,
    slice.questions,
  );
});

test('without time, most subjects keep all their events, so that no log is much sparser than it will be', (t) => {
  const events = Array.from({ length: 600 }, (_, at): [string, number, number] => [
    `u${at % 30}`,
    Math.floor(at / 30),
    0,
  ]);
  const asking: Asking = { per: 'subject', excluded: 'met', horizon: 9 };
  for (const { train } of holdOut(interactionsOf(events), { asking, wantedQuestions: 1000 }))
    t.true(train.item.length >= 0.9 * events.length);
});

test('without time, the first events of some subjects are held back, the last of others, any of the rest', (t) => {
  const events = Array.from({ length: 1080 }, (_, at): [string, number, number] => [
    `u${at % 54}`,
    Math.floor(at / 54),
    0,
  ]);
  const asking: Asking = { per: 'subject', excluded: 'met', horizon: 9 };
  const [{ questions }] = holdOut(interactionsOf(events), { asking, wantedQuestions: 1000 });
  const answersOf = (asked: number) =>
    questions.filter(({ part }) => part === asked).map(({ answers }) => [...answers].sort((a, b) => a - b));
  for (const first of answersOf(1)) t.deepEqual(first, [0, 1, 2, 3]);
  for (const last of answersOf(2)) t.deepEqual(last, [16, 17, 18, 19]);
  t.is(answersOf(1).length + answersOf(2).length, 6);
});

test('of lists of two events one is held back, and of single ones none', (t) => {
  const pairs = Array.from({ length: 12 }, (_, at): [string, number, number] => [`u${at >> 1}`, at, 0]);
  const asking: Asking = { per: 'subject', excluded: 'met', horizon: 9 };
  const [slice] = holdOut(interactionsOf([...pairs, ['alone', 15, 0]]), { asking, wantedQuestions: 10 });
  t.true(slice.questions.length >= 1);
  t.true(slice.questions.every(({ answers }) => answers.length === 1));
  t.true(slice.train.item.includes(15));
});
