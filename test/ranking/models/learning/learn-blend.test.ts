import test from 'ava';
import { add } from '../../../../src/ranking/models/arrays/accumulator.ts';
import { mixed } from '../../../../src/ranking/models/arrays/mixed.ts';
import { learnBlend } from '../../../../src/ranking/models/learning/learn-blend.ts';
import type { Fold } from '../../../../src/ranking/models/learning/score-cache.ts';
import { sameOrder } from '../../../../src/ranking/models/learning/train-blended.ts';
import type { Model } from '../../../../src/ranking/models/model.ts';
import { view, worldOf } from '../world.ts';

const [subjectCount, itemCount, eventCount] = [80, 60, 40];
const answer = itemCount - 1;

/** Each subject views items in a random order, and finally the answer. */
const source = worldOf(
  Array.from({ length: itemCount }, () => ({})),
  Array.from({ length: subjectCount * eventCount }, (_, at) => {
    const [subject, event] = [Math.floor(at / eventCount), at % eventCount];
    return view(`s${subject}`, event === eventCount - 1 ? answer : (subject + event) % answer, event);
  }),
).interactions;

/** Knows the answers of some subjects with long histories, and of some with short ones. */
const knows = (name: string, ofMany: number, ofFew: number): Model => ({
  name,
  role: 'proposes',
  accumulate({ seedCount, seedItemIndex }, weight, accumulator) {
    const chance = (salt: number) => mixed(97 * seedItemIndex[0] + 31 * name.length + salt) / 2 ** 32;
    const isKnown = chance(itemCount) < (seedCount > 15 ? ofMany : ofFew);
    for (let item = 0; item < answer; item++) add(accumulator, item, 0.9 * weight * chance(item));
    add(accumulator, answer, weight * (isKnown ? 1 : 0.9 * chance(answer)));
  },
  explain: () => [],
});

const models = [knows('for few', 0.1, 0.8), knows('for many', 0.7, 0.3)];

/** A slice with questions for all subjects after about the given number of events. */
const sliceOf = (length: number): Fold => ({
  models,
  source,
  questions: Array.from({ length: subjectCount }, (_, subject) => ({
    subject,
    event: source.subjectOffsets[subject] + length + (subject % 5),
    answers: Int32Array.of(answer),
  })),
});

test('models for long histories get more weight if histories will be longer', (t) => {
  const shared = { mapping: sameOrder(itemCount), excluded: 'met' } as const;
  const slices = [sliceOf(20), sliceOf(10)];
  const asOne = [{ ...slices[0], questions: slices.flatMap(({ questions }) => questions) }];
  const shareOf = (folds: Fold[]) => {
    const { weights } = learnBlend({ ...shared, folds });
    return weights['for few'] / (weights['for many'] + weights['for few']);
  };
  const [growing, unknown] = [shareOf(slices), shareOf(asOne)];
  t.true(growing < 0.5 * unknown, `${growing} beside ${unknown}`);
});
