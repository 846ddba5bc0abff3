/** On logs of every shape the blend is no worse than the best of its own models, but for chance. */

import test from 'ava';
import { evaluate } from '../../../src/jobs/evaluation/evaluate.ts';
import { toTable } from '../../../src/jobs/evaluation/table.ts';
import { makeLog, shapes } from '../../quality/shapes.ts';

/** Small enough for seconds, large enough for failures to show. */
const scale = 0.2;

const scales: Record<string, number> = {
  /** Most of their subjects do too little to be asked about. */
  'heavy tails': 0.4,
  /** Each of their subjects says much. */
  'dense ratings without times': 0.15,
  'dense ratings with times': 0.1,
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
