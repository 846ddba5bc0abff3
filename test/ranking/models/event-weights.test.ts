import test from 'ava';
import {
  completeWeights,
  defaultEventWeights,
  eventWeight,
} from '../../../src/ranking/models/event-weights.ts';

const rows: [eventType: string, qualifier: string | undefined, weight: number][] = [
  ['detail_pageview', undefined, 1],
  ['purchase', undefined, 5],
  ['remove_from_cart', undefined, -3],
  ['checkpoint', '100', 4],
  ['checkpoint', '50', 2],
  ['item_interaction', 'positive', 2],
  ['item_interaction', 'negative', -4],
  ['item_interaction', 'unliked', -2],
  ['item_interaction', 'neutral', 0],
  ['item_interaction', 'zoom', 2],
  ['item_interaction', '75', 1],
  ['item_interaction', '50', 0],
  ['item_interaction', '25', -2],
  ['checkpoint', undefined, 1],
  ['impression', undefined, 0],
  ['batch_open', undefined, 0],
  ['toString', undefined, 0],
];

for (const [eventType, qualifier, weight] of rows) {
  test(`${eventType} with ${qualifier ?? 'no qualifier'} weighs ${weight}`, (t) => {
    t.is(eventWeight(defaultEventWeights, eventType, qualifier), weight);
  });
}

test('the settings of an environment replace the defaults of their types only', (t) => {
  const weights = completeWeights({ detail_pageview: 0, checkpoint: 8, 'item_interaction:share': 3 });
  t.is(eventWeight(weights, 'item_interaction', 'share'), 3);
  t.is(eventWeight(weights, 'detail_pageview'), 0);
  t.is(eventWeight(weights, 'checkpoint', '50'), 4);
  t.is(eventWeight(weights, 'purchase'), 5);
  t.true(eventWeight(weights, 'impression') < 0);
});
