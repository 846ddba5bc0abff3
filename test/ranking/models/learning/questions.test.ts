import test from 'ava';
import { mixed } from '../../../../src/ranking/models/arrays/mixed.ts';
import type { Interactions } from '../../../../src/ranking/models/interactions.ts';
import { holdOut } from '../../../../src/ranking/models/learning/held-out.ts';
import {
  type Asking,
  askAbout,
  eventsBefore,
  type Question,
  recentsBefore,
} from '../../../../src/ranking/models/learning/questions.ts';
import { similarTime } from '../../../../src/ranking/models/time-of-day.ts';
import { metNow } from '../../../../src/ranking/models/visits.ts';
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

test('answers are the next items, without known ones if these are excluded', (t) => {
  const asking: Asking = { per: 'event', excluded: 'met', horizon: 2 };
  t.deepEqual(answers(visits, asking), [[2, 3], [3], [3]]);
  t.deepEqual(answers(visits, { ...asking, excluded: 'last' }), [[2, 3], [1, 3], [3]]);
  t.deepEqual(answers(visits, { ...asking, excluded: 'none' }), [[2, 1], [1, 3], [3]]);
});

test('with a horizon of one step, a return to an excluded item is no question', (t) => {
  t.deepEqual(answers(visits, { per: 'event', excluded: 'met', horizon: 1 }), [[2], [3]]);
});

test('an occasion is one question', (t) => {
  t.deepEqual(answers(visits, { per: 'occasion', excluded: 'none', horizon: 9 }), [[2], [1, 3]]);
});

const similarAfter = (seconds: number) => similarTime(0, seconds);

test('a history has each item once, newest first, with its age and total weight', (t) => {
  const source = interactionsOf(visits);
  t.deepEqual(recentsBefore(source, { subject: 0, event: 3, answers: new Int32Array(0) }, 10), [
    { itemIndex: 1, ageSeconds: 0, weight: 2, contacts: 2, sameTime: similarAfter(10), rhythm: metNow },
    { itemIndex: 2, ageSeconds: 1000, weight: 1, contacts: 1, sameTime: similarAfter(1_010), rhythm: metNow },
  ]);
});

test('repeated purchases count in full in earlier histories, and models do not know later ones', (t) => {
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

test('models are not trained on held-back events, and slices are added until there are enough questions', (t) => {
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

test('events without time are held back by subject, deterministically', (t) => {
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

test('without time, most subjects keep all their events, so that the log stays about as dense', (t) => {
  const events = Array.from({ length: 600 }, (_, at): [string, number, number] => [
    `u${at % 30}`,
    Math.floor(at / 30),
    0,
  ]);
  const asking: Asking = { per: 'subject', excluded: 'met', horizon: 9 };
  for (const { train } of holdOut(interactionsOf(events), { asking, wantedQuestions: 1000 }))
    t.true(train.item.length >= 0.9 * events.length);
});

/** Lists of twenty items; every other one is reversed if `turned`. */
const twenties = (turned: boolean) =>
  interactionsOf(
    Array.from({ length: 1080 }, (_, at): [string, number, number] => {
      const [subject, place] = [at % 54, Math.floor(at / 54)];
      return [`u${subject}`, turned && Math.floor(subject / 2) % 2 === 1 ? 19 - place : place, 0];
    }),
  );

const anyOfMet: Asking = { per: 'subject', excluded: 'met', horizon: 9 };

/**
 * Whether all answers of a question are in the first or in the last fifth of the subject's events.
 */
function endOf(lists: Interactions, { subject, answers }: Question): 'first' | 'last' | 'any' {
  const list = lists.item.subarray(lists.subjectOffsets[subject], lists.subjectOffsets[subject + 1]);
  const places = Array.from(answers, (item) => list.indexOf(item));
  if (places.every((place) => place < list.length / 5)) return 'first';
  return places.every((place) => place >= 0.8 * list.length) ? 'last' : 'any';
}

const askedOf = (lists: Interactions) =>
  holdOut(lists, { asking: anyOfMet, wantedQuestions: 1000 })[0].questions;
const partsOf = (lists: Interactions, asking = anyOfMet) =>
  holdOut(lists, { asking, wantedQuestions: 1000 })[0].parts;
const endsAskedAbout = (lists: Interactions) => askedOf(lists).map((one) => endOf(lists, one));

test('without time, subjects are split by held-back events: the first, the last, or any', (t) => {
  const lists = twenties(true);
  const questions = askedOf(lists);
  t.deepEqual(
    questions.map(({ part }) => part),
    [1, 2, 3].flatMap(() => ['any', 'first', 'last']),
  );
  for (const question of questions) if (question.part !== 'any') t.is(endOf(lists, question), question.part!);
  t.like(partsOf(lists), { isUncertain: true, isUnordered: false });
});

test('without time, lists in one order have no earlier part, and any events are held back', (t) => {
  const lists = twenties(false);
  t.true(askedOf(lists).every(({ part }) => part === undefined));
  t.true(endsAskedAbout(lists).filter((end) => end === 'any').length >= 6);
  t.like(partsOf(lists), { isUncertain: false, isUnordered: false });
  t.like(partsOf(lists, { ...anyOfMet, per: 'last' }), { inTurn: ['last'], isUncertain: false });
});

test('without time, lists in random order have any events held back', (t) => {
  const shuffled = Array.from({ length: 54 }, (_, subject) =>
    Array.from({ length: 20 }, (_, item) => item).toSorted(
      (a, b) => mixed(20 * subject + a) - mixed(20 * subject + b),
    ),
  );
  const lists = interactionsOf(
    shuffled.flatMap((items, subject) =>
      items.map((item): [string, number, number] => [`u${subject}`, item, 0]),
    ),
  );
  t.true(askedOf(lists).every(({ part }) => part === undefined));
  t.like(partsOf(lists), { isUncertain: false, isUnordered: true });
});

for (const [later, isTurned] of [
  ['last', false],
  ['first', true],
] as const) {
  test(`without time, the end with rare items is the later one and gives the questions: the ${later} one`, (t) => {
    const lists = interactionsOf(
      Array.from({ length: 540 }, (_, at): [string, number, number] => {
        const [subject, step] = [at % 54, Math.floor(at / 54)];
        const place = isTurned ? 9 - step : step;
        return [`u${subject}`, place < 5 ? (place + subject) % 5 : 5 + ((subject * 7 + place * 3) % 15), 0];
      }),
    );
    t.deepEqual(new Set(endsAskedAbout(lists)), new Set(['any', later]));
  });
}

test('one event of a list of two is held back, and none of a single one', (t) => {
  const pairs = Array.from({ length: 12 }, (_, at): [string, number, number] => [`u${at >> 1}`, at, 0]);
  const asking: Asking = { per: 'subject', excluded: 'met', horizon: 9 };
  const [slice] = holdOut(interactionsOf([...pairs, ['alone', 15, 0]]), { asking, wantedQuestions: 10 });
  t.true(slice.questions.length >= 1);
  t.true(slice.questions.every(({ answers }) => answers.length === 1));
  t.true(slice.train.item.includes(15));
});
