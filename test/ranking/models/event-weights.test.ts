import test from 'ava';
import {
  completeWeights,
  defaultEventWeights,
  eventWeight,
} from '../../../src/ranking/models/event-weights.ts';

const rows: [eventType: string, progress: number | undefined, weight: number][] = [
  ['detail_pageview', undefined, 1],
  ['purchase', undefined, 5],
  ['remove_from_cart', undefined, -3],
  ['checkpoint', 1, 4],
  ['checkpoint', 0.5, 2],
  ['checkpoint', 7, 4],
  ['checkpoint', undefined, 1],
  ['impression', undefined, 0],
  ['batch_open', undefined, 0],
  ['toString', undefined, 0],
];

for (const [eventType, progress, weight] of rows) {
  test(`${eventType} with progress ${progress ?? 'unknown'} weighs ${weight}`, (t) => {
    t.is(eventWeight(defaultEventWeights, eventType, progress), weight);
  });
}

test('the settings of an environment replace the defaults of their types only', (t) => {
  const weights = completeWeights({ detail_pageview: 0, checkpoint: 8 });
  t.is(eventWeight(weights, 'detail_pageview'), 0);
  t.is(eventWeight(weights, 'checkpoint', 0.5), 4);
  t.is(eventWeight(weights, 'purchase'), 5);
  t.true(eventWeight(weights, 'impression') < 0);
});
