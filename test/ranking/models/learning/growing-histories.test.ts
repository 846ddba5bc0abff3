import test from 'ava';
import { meanOf } from '../../../../src/ranking/models/arrays/statistics.ts';
import type { Interactions } from '../../../../src/ranking/models/interactions.ts';
import { worthAhead } from '../../../../src/ranking/models/learning/growing-histories.ts';
import type { Fold } from '../../../../src/ranking/models/learning/score-cache.ts';
import { view, worldOf } from '../world.ts';

const subjectCount = 24;

/** Each subject has thirty items. */
const source: Interactions = worldOf(
  Array.from({ length: 30 }, () => ({})),
  Array.from({ length: subjectCount * 30 }, (_, event) =>
    view(`s${Math.floor(event / 30)}`, event % 30, event % 30),
  ),
).interactions;

/** A slice with a question for each subject after the given number of events. */
const sliceOf = (lengths: readonly number[]): Fold => ({
  models: [],
  source,
  questions: lengths.map((length, subject) => ({
    subject,
    event: source.subjectOffsets[subject] + length,
    answers: Int32Array.of(0),
  })),
});

const lengthsFrom = (least: number) =>
  Array.from({ length: subjectCount }, (_, subject) => least + (subject % 4));

test('with growing histories, questions are weighted by linear extrapolation to the next slice', (t) => {
  const [newest, before] = [lengthsFrom(12), lengthsFrom(6)];
  const worth = worthAhead([sliceOf(newest), sliceOf(before)], 50)!;
  t.true(Math.abs(meanOf(worth) - 1) < 1e-9);
  const logs = [newest, before].map((lengths) => lengths.map(Math.log));
  const expected = 2 * meanOf(logs[0]) - meanOf(logs[1]);
  const foretold = meanOf(logs.flat().map((length, question) => worth[question] * (0.3 - 0.1 * length)));
  t.true(Math.abs(foretold - (0.3 - 0.1 * expected)) < 1e-9);
});

test('the extrapolated length is bounded by the number of interests used', (t) => {
  const worth = worthAhead([sliceOf(lengthsFrom(12)), sliceOf(lengthsFrom(6))], 16)!;
  const logs = [...lengthsFrom(12), ...lengthsFrom(6)].map(Math.log);
  const foretold = meanOf(logs.map((length, question) => worth[question] * length));
  t.true(Math.abs(foretold - Math.log(16)) < 1e-9);
});

test('all questions count equally if histories do not grow or slices are inconclusive', (t) => {
  t.is(worthAhead([sliceOf(lengthsFrom(6))], 50), undefined);
  t.is(worthAhead([sliceOf([12, 13]), sliceOf(lengthsFrom(6))], 50), undefined);
  t.is(worthAhead([sliceOf(lengthsFrom(6)), sliceOf(lengthsFrom(6))], 50), undefined);
  t.is(worthAhead([sliceOf(lengthsFrom(6)), sliceOf(lengthsFrom(12))], 50), undefined);
  const hardlyLonger = lengthsFrom(6).map((length, subject) => length + (subject === 0 ? 2 : 0));
  t.is(worthAhead([sliceOf(hardlyLonger), sliceOf(lengthsFrom(6))], 50), undefined);
});
