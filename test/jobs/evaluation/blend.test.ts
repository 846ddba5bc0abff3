/** On logs of every shape, the blend is not significantly worse than the best of its models. */

import test from 'ava';
import { evaluate } from '../../../src/jobs/evaluation/evaluate.ts';
import { toTable } from '../../../src/jobs/evaluation/table.ts';
import { makeLog, shapes } from '../../quality/shapes.ts';

/** Small enough to take seconds, large enough to show failures. */
const scale = 0.14;

const scales: Record<string, number> = {
  /** Most of their subjects have too few events for questions. */
  'heavy tails': 0.4,
  /** Each of their subjects has many events. */
  'dense ratings without times': 0.15,
  'dense ratings with times': 0.07,
};

for (const [name, { protocol, log }] of Object.entries(shapes)) {
  test(`${name}: no model alone is better than the blend`, (t) => {
    const dataset = makeLog(log, name, scales[name] ?? scale);
    const evaluation = evaluate({ dataset, protocol });
    t.true(evaluation.learnt !== undefined);
    t.true(evaluation.blend.questionCount >= 50);
    t.deepEqual(evaluation.betterAlone, [], toTable(evaluation));
  });
}
