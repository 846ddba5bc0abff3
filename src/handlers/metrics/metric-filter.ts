/** Dimensions of metrics in messages. */

import type { MetricDimensions } from '../../../gen/es/personalisation/v1/metric_pb.js';
import { type DimensionName, dimensionNames } from '../../repository/metrics/metric-dimensions.ts';

type DimensionField = 'userGroup' | 'version' | 'pageType' | 'listName' | 'channel' | 'configuration';

export const fieldOf: Record<DimensionName, DimensionField> = {
  user_group: 'userGroup',
  version: 'version',
  page_type: 'pageType',
  list_name: 'listName',
  channel: 'channel',
  configuration: 'configuration',
};

export function filterOf(where: MetricDimensions): Partial<Record<DimensionName, string>> {
  return Object.fromEntries(
    dimensionNames.flatMap((name) => {
      const value = where[fieldOf[name]];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
