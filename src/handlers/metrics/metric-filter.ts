/** Dimensions of metrics in messages, and the refusal of unknown ones. */

import type { MetricDimensions } from '../../../gen/es/personalisation/v1/metric_pb.js';
import type { EnvironmentSettings } from '../../deployment/deployment.ts';
import {
  type DimensionName,
  dimensionNames,
  type GroupName,
  propertyOf,
  segmentName,
} from '../../repository/metrics/metric-dimensions.ts';
import { refuse } from '../chain/refuse.ts';

type Segmented = Pick<EnvironmentSettings, 'metricSegments'>;

type DimensionField = 'userGroup' | 'version' | 'pageType' | 'listName' | 'channel' | 'configuration';

const fieldOf: Record<DimensionName, DimensionField> = {
  user_group: 'userGroup',
  version: 'version',
  page_type: 'pageType',
  list_name: 'listName',
  channel: 'channel',
  configuration: 'configuration',
};

/** Returns the values to filter by, and refuses unknown segments. @param pointer That of `where`. */
export function filterOf(
  where: MetricDimensions | undefined,
  settings: Segmented,
  pointer: string,
): Partial<Record<GroupName, string>> {
  if (!where) return {};
  const named = dimensionNames.map((name) => [name, where[fieldOf[name]]] as const);
  const segments = Object.entries(where.segments).map(([name, value]) => [segmentName(name), value] as const);
  for (const [name] of segments) checkDimension(name, settings, pointer);
  return Object.fromEntries([...named, ...segments].filter(([, value]) => value !== undefined));
}

/** Returns whether it is a dimension of metrics, among them the segments of the environment. */
export function isKnownDimension(name: string, { metricSegments }: Segmented): name is GroupName {
  const property = propertyOf(name);
  return property === undefined
    ? (dimensionNames as readonly string[]).includes(name)
    : metricSegments.includes(property);
}

export function checkDimension(name: string, settings: Segmented, pointer: string): void {
  if (isKnownDimension(name, settings)) return;
  const known = [...dimensionNames, ...settings.metricSegments.map(segmentName)].join(', ');
  refuse([{ pointer, detail: `Unknown dimension ${JSON.stringify(name)}. Expected one of ${known}.` }]);
}

/** Returns the values of the groups by field. */
export function groupOf(names: readonly GroupName[], values: readonly string[]) {
  const group: Partial<Record<DimensionField, string>> & { segments: Record<string, string> } = {
    segments: {},
  };
  for (const [place, name] of names.entries()) {
    const property = propertyOf(name);
    if (property === undefined) group[fieldOf[name as DimensionName]] = values[place];
    else group.segments[property] = values[place];
  }
  return group;
}
