import test from 'ava';
import { metricNames as offered } from '../../src/console/kit/metrics.ts';
import { metricNames } from '../../src/handlers/metrics/statistics/metrics.ts';

test('the console offers every metric that the service has', (t) => {
  t.deepEqual(offered, [...metricNames]);
});
