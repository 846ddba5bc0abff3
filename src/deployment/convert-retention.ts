/** The `retention` section of an environment. */

import type { Retention } from '../../gen/es/personalisation/deployment/v1/deployment_pb.js';
import { defaultMetricNamesDays, type RetentionSettings } from './deployment.ts';

export function convertRetention(retention: Retention | undefined): RetentionSettings {
  const { eventsDays, historiesDays, metricsDays } = retention ?? {};
  const namesDays = retention?.metricNamesDays ?? defaultMetricNamesDays;
  const metricNamesDays = Math.min(namesDays, metricsDays ?? namesDays);
  return { eventsDays, historiesDays, metricsDays, metricNamesDays };
}
