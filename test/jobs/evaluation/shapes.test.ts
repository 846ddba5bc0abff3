/**
 * Logs of every shape can be evaluated by every protocol: figures are finite, and the blend's lists
 * are as long as the items allow.
 */

import test from 'ava';
import { createDatasetBuilder, type Dataset } from '../../../src/jobs/evaluation/dataset.ts';
import { evaluate } from '../../../src/jobs/evaluation/evaluate.ts';
import { protocolNames } from '../../../src/jobs/evaluation/protocols.ts';
import { summarise } from '../../../src/jobs/evaluation/summary.ts';
import { toTable } from '../../../src/jobs/evaluation/table.ts';

type Row = [subject: string, item: string, timeSeconds: number];

function datasetOf(rows: readonly Row[]): Dataset {
  const builder = createDatasetBuilder();
  for (const [subjectKey, itemId, timeSeconds] of rows)
    builder.add({ subjectKey, itemId, timeSeconds, eventType: 'detail_pageview' });
  return builder.finish();
}

const times = (count: number, make: (at: number) => Row) =>
  Array.from({ length: count }, (_, at) => make(at));

const shapes: Record<string, Row[]> = {
  'a single event': [['a', 'x', 1]],
  'a single user': times(6, (at) => ['a', `x${at % 4}`, 100 * at]),
  'a single item': times(60, (at) => [`u${at % 10}`, 'x', 100 * at]),
  'every item once': times(40, (at) => [`u${at % 4}`, `x${at}`, 100 * at]),
  'every user once': times(40, (at) => [`u${at}`, `x${at % 5}`, 100 * at]),
  'times that are days': times(120, (at) => [
    `u${at % 12}`,
    `x${(at * 7) % 15}`,
    86_400 * Math.floor(at / 30),
  ]),
  'items that are equals': times(120, (at) => [`u${at % 12}`, `x${at % 10}`, 100 * at]),
};

const timed = protocolNames.filter((name) => name !== 'fixed');

for (const [shape, rows] of Object.entries(shapes)) {
  test(`${shape}: every protocol gives figures`, (t) => {
    for (const protocol of timed) {
      const evaluation = evaluate({ dataset: datasetOf(rows), protocol: { protocol } });
      const { blend, models } = summarise(shape, protocol, evaluation);
      for (const figures of [blend, ...Object.values(models)])
        for (const [name, value] of Object.entries(figures))
          t.true(Number.isFinite(value), `${protocol} ${name}`);
      t.true(evaluation.blend.recall.mean <= 1 && evaluation.blend.ndcg.mean <= 1, protocol);
      t.is(toTable(evaluation).includes('There are no questions'), evaluation.blend.questionCount === 0);
    }
  });
}

test('lists are filled with trending items and then the rest, so that a small catalogue hides no answer', (t) => {
  const rows = times(200, (at): Row => [`u${at % 20}`, `x${(at * 3) % 19}`, 100 * at]);
  const { blend } = evaluate({ dataset: datasetOf(rows), protocol: { protocol: 'next-event' } });
  t.is(blend.recall.mean, 1);
});

test('protocols of time refuse events without times, with advice', (t) => {
  const dataset = datasetOf(times(50, (at) => [`u${at % 5}`, `x${at % 11}`, 0]));
  for (const protocol of timed.filter((name) => name !== 'leave-last-out'))
    t.throws(() => evaluate({ dataset, protocol: { protocol } }), { message: /leave-last-out/ }, protocol);
  t.true(evaluate({ dataset, protocol: { protocol: 'leave-last-out' } }).blend.questionCount > 0);
});
