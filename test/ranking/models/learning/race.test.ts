import test from 'ava';
import type { Question } from '../../../../src/ranking/models/learning/questions.ts';
import { race, splitHeats } from '../../../../src/ranking/models/learning/race.ts';

const questionsOf = (count: number): Question[] =>
  Array.from({ length: count }, (_, subject) => ({ subject, event: 7, answers: Int32Array.of(0) }));

const partOf = (count: number) => ({ questions: questionsOf(count) });

/** Pseudo-random in 0…1, by candidate and question. */
const noise = (candidate: number, { subject }: Question): number => {
  const bits = Math.imul((subject * 31 + candidate + 1) ^ 0x9e3779b9, 0x85ebca6b);
  return ((bits ^ (bits >>> 15)) >>> 0) / 2 ** 32;
};

const questionsIn = (heat: readonly { questions: readonly Question[] }[]) =>
  heat.flatMap(({ questions }) => questions);

test('heats share no question, and later ones are larger', (t) => {
  const heats = splitHeats([partOf(3_000), partOf(500)]).map((heat) => questionsIn(heat).length);
  t.is(heats.length, 3);
  t.true(heats[0] < heats[1] && heats[1] < heats[2]);
  const few = splitHeats([partOf(100)]);
  t.is(few.length, 1);
  t.is(questionsIn(few[0]).length, 100);
  t.deepEqual(splitHeats([partOf(0)]), []);
});

test('another seed starts with other questions', (t) => {
  const firstOf = (seed: number) => questionsIn(splitHeats([partOf(3_000)], seed)[0]);
  t.deepEqual(firstOf(1), firstOf(1));
  t.notDeepEqual(firstOf(1), firstOf(2));
});

test('close candidates get more questions than those far behind', (t) => {
  const asked = [0, 0, 0, 0];
  const heats = splitHeats([partOf(3_000)]);
  const gains = [0, 0.03, -0.5, -0.5];
  const best = race([0, 1, 2, 3], heats, (candidate, heat) => {
    const questions = questionsIn(heat);
    asked[candidate] += questions.length;
    return questions.map((question) => gains[candidate] + noise(candidate, question));
  });
  t.is(best, 1);
  t.true(asked[1] > 2 * asked[2]);
  t.is(asked[2], asked[3]);
});

test('of equal candidates the first one wins after one heat', (t) => {
  let runs = 0;
  const best = race(['first', 'second', 'third'], splitHeats([partOf(3_000)]), (_, heat) => {
    runs += 1;
    return questionsIn(heat).map(() => 0.5);
  });
  t.is(best, 'first');
  t.is(runs, 3);
});

test('without questions the first one wins', (t) => {
  t.is(
    race(['first', 'second'], [], () => []),
    'first',
  );
});
