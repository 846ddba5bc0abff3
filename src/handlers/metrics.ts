/** The metric operations: they check their input; counting does not work yet. */

import type { TimeInterval } from '../../gen/es/personalisation/v1/metric_pb.js';
import { MetricService } from '../../gen/es/personalisation/v1/metric_service_pb.js';
import { parseFullMoment } from '../catalog/item-specification.ts';
import type { Deployment } from '../deployment/deployment.ts';
import { DomainError, type Violation } from '../errors.ts';
import { implement } from './implement.ts';
import { refuse } from './operations.ts';

const metricNames = new Set([
  'requests',
  'recommendation_sets',
  'impressions',
  'impressions_sets',
  'clicks',
  'click_through_rate',
  'pageviews',
  'item_interactions',
  'add_to_carts',
  'purchased_items',
  'revenue',
  'attributed_purchased_items',
  'attributed_revenue',
  'users',
  'devices',
  'search_requests',
  'search_impressions',
  'search_clicks',
  'search_click_through_rate',
  'searches_without_results',
  'completions',
  'audience_requests',
  'batch_opens',
  'batch_impressions',
  'batch_clicks',
  'events',
]);

const hourMs = 3_600_000;

export function createMetricHandlers({ deployment }: { deployment: Deployment }) {
  return implement(MetricService, {
    async getMetric({ metric, environment, startTime }) {
      if (!metricNames.has(metric)) {
        throw new DomainError('METRIC_UNKNOWN', `There is no metric ${JSON.stringify(metric)}.`, {
          metadata: { metric },
        });
      }
      if (environment && !deployment.environments.has(environment)) {
        throw new DomainError(
          'ENVIRONMENT_UNKNOWN',
          `There is no environment ${JSON.stringify(environment)}.`,
          {
            metadata: { environment },
          },
        );
      }
      if (startTime) refuse(checkInterval(startTime));
      throw new DomainError('NOT_IMPLEMENTED', 'Metrics are not counted yet.');
    },
  });
}

function checkInterval({ gte, lt }: TimeInterval): Violation[] {
  const violations: Violation[] = [];
  const read = (name: string, text: string | undefined): number | undefined => {
    if (text === undefined) return undefined;
    const moment = parseFullMoment(text);
    if (moment === undefined || moment % hourMs !== 0) {
      violations.push({
        pointer: `query:start_time.${name}`,
        detail: 'Must be RFC 3339 with minutes and seconds zero.',
      });
    }
    return moment;
  };
  const from = read('gte', gte);
  const to = read('lt', lt);
  if (from !== undefined && to !== undefined && from > to) {
    violations.push({ pointer: 'query:start_time.gte', detail: 'Must not be after lt.' });
  }
  return violations;
}
