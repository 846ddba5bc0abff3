import test from 'ava';
import { figureOf } from '../../../src/handlers/metrics/performance/definitions.ts';

test('sums of money have no error of fractions', (t) => {
  t.like(figureOf('revenue', { revenue: 0.1 + 0.2 }), { value: 0.3 });
  t.like(figureOf('revenue_per_visitor', { revenue: 0.1 + 0.2, visitors: 3 }), { part: 0.3, whole: 3 });
});
