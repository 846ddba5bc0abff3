import test from 'ava';
import { add } from '../../../../src/ranking/models/arrays/accumulator.ts';
import { learnBlend } from '../../../../src/ranking/models/learning/learn-blend.ts';
import { sameOrder } from '../../../../src/ranking/models/learning/train-blended.ts';
import type { Model } from '../../../../src/ranking/models/model.ts';
import { view, worldOf } from '../world.ts';

const [subjectCount, itemCount, viewCount] = [40, 80, 11];
const categoryOf = (item: number) => (item < 40 ? 'boats' : 'lamps');

/** Knows the best of both categories; lamps score higher, because the last view was one. */
const model: Model = {
  name: 'lamps first',
  role: 'proposes',
  accumulate(_, weight, accumulator) {
    for (let item = 0; item < itemCount; item++)
      add(accumulator, item, weight * ((item < 40 ? 0.5 : 0.9) - (item % 40) / 200));
  },
  explain: () => [],
};

/**
 * Ten boats, one lamp, then the answer.
 * @param newcomers Share of the subjects who saw the lamp only, too little for interests.
 */
function strengthFor(answer: number, newcomers = 0): number | undefined {
  const views = Array.from({ length: subjectCount }, (_, subject) =>
    Array.from({ length: viewCount + 1 }, (_, event) =>
      view(`s${subject}`, event < 10 ? 20 + event : event === 10 ? 79 : answer, event),
    ).slice(subject < newcomers * subjectCount ? 10 : 0),
  );
  const source = worldOf(
    Array.from({ length: itemCount }, () => ({})),
    views.flat(),
  ).interactions;
  const questions = Array.from({ length: subjectCount }, (_, subject) => {
    const event = source.subjectOffsets[subject + 1] - 1;
    return { subject, event, answers: source.item.slice(event, event + 1) };
  });
  const folds = [{ models: [model], source, questions, recents: new Map() }];
  return learnBlend({ folds, mapping: sameOrder(itemCount), excluded: 'met', categoryOf }).calibration;
}

test('lists follow the mix of interests where answers do, and less where it costs', (t) => {
  t.is(strengthFor(1), 0.8);
  t.true(strengthFor(48)! <= 0.4);
});

test('only questions of subjects with interests count', (t) => {
  t.is(strengthFor(48, 0.95), strengthFor(48));
  t.is(strengthFor(1, 1), undefined);
});
