import {
  type GetMetricRequest,
  MetricService,
} from '../../../gen/es/personalisation/v1/metric_service_pb.js';
import type { Deployment } from '../../deployment/deployment.ts';
import type { Database } from '../../repository/database.ts';
import {
  dimensionNames,
  type GroupName,
  propertyOf,
  segmentName,
} from '../../repository/metrics/metric-dimensions.ts';
import { distinctMeasures } from '../../repository/metrics/metric-measures.ts';
import { implement } from '../chain/implement.ts';
import { notFound, refuse } from '../chain/refuse.ts';
import { firstHoursOf } from './first-hours.ts';
import { checkDimension, filterOf, groupOf } from './metric-filter.ts';
import { readHours } from './metric-interval.ts';
import { type MetricValue, metricNames, queryMetrics } from './statistics/metrics.ts';

const defaultLimit = 1_000;
const defaultQueryLimit = 10_000;

const fields = [
  { fieldName: 'start_time', fieldType: 'integer' },
  { fieldName: 'value', fieldType: 'number' },
];

export type MetricHandlersOptions = {
  db: Database;
  deployment: Deployment;
  /** Updates the counts with everything stored and served until now. */
  completeCounts: () => Promise<void>;
  clock: () => number;
};

export function createMetricHandlers({ db, deployment, completeCounts, clock }: MetricHandlersOptions) {
  const firstHours = (kind: 'totals' | 'names') => firstHoursOf(deployment, clock(), kind);
  /** Returns the zone of days; undefined for hours. */
  const zoneOf = (step: string | undefined, { metrics, environment, pointer }: Stepped) => {
    if (step !== 'day') return undefined;
    const distinct = metrics.find((metric) => distinctMeasures.has(metric));
    if (distinct)
      refuse([{ pointer, detail: `${distinct} is a distinct count, which exists by hour only.` }]);
    return deployment.environments.get(environment ?? '')?.timeZone ?? 'UTC';
  };
  return implement(MetricService, {
    async listMetrics() {
      return {
        metrics: metricNames.map((metricName) => ({ metricName, fields })),
      };
    },
    async getMetric(request) {
      checkMetric(request.metric);
      checkEnvironment(request.environment, deployment);
      const hours = readHours(request.startTime, 'query:start_time.');
      const environment = request.environment || undefined;
      const daysIn = zoneOf(request.step, { metrics: [request.metric], environment, pointer: 'query:step' });
      await completeCounts();
      const values = await queryMetrics(db, {
        ...hours,
        environment,
        firstHours: firstHours('totals'),
        metrics: [request.metric],
        daysIn,
      });
      return { output: outputMessage(request, values) };
    },
    async queryMetrics({ environment, metrics, groupBy, where, startTime, limit, step }) {
      for (const metric of metrics) checkMetric(metric);
      const settings = deployment.environments.get(environment)!;
      for (const [place, name] of groupBy.entries()) checkDimension(name, settings, `/group_by/${place}`);
      const known = [...dimensionNames, ...settings.metricSegments.map(segmentName)];
      const groups = known.filter((name) => groupBy.includes(name));
      const filter = filterOf(where, settings, '/where/segments');
      checkDistinct(metrics, [...groups, ...Object.keys(filter)]);
      const hours = readHours(startTime, '/start_time/');
      const daysIn = zoneOf(step, { metrics, environment, pointer: '/step' });
      await completeCounts();
      const isByNames = groups.length + Object.keys(filter).length > 0;
      const values = await queryMetrics(db, {
        ...hours,
        environment,
        firstHours: firstHours(isByNames ? 'names' : 'totals'),
        metrics: [...new Set(metrics)],
        groupBy: groups,
        where: filter,
        daysIn,
      });
      return {
        totalNrResults: values.length,
        results: values.slice(0, limit ?? defaultQueryLimit).map((value) => groupedMessage(value, groups)),
      };
    },
  });
}

type Stepped = { metrics: readonly string[]; environment?: string; pointer: string };

function checkDistinct(metrics: readonly string[], names: readonly string[]): void {
  const metric = metrics.find((name) => distinctMeasures.has(name));
  if (metric && names.some((name) => propertyOf(name) !== undefined))
    refuse([
      { pointer: '/metrics', detail: `${metric} is a distinct count, which does not exist by segment.` },
    ]);
}

function checkMetric(metric: string): void {
  if (metricNames.includes(metric)) return;
  throw notFound('METRIC_UNKNOWN', 'metric', metric, { metric });
}

/** The chain checks only environments that an operation requires. */
function checkEnvironment(environment: string | undefined, { environments }: Deployment): void {
  if (!environment || environments.has(environment)) return;
  throw notFound('ENVIRONMENT_UNKNOWN', 'environment', environment, { environment });
}

/** Equal values stay in order of time. */
function outputMessage(request: GetMetricRequest, values: MetricValue[]) {
  const { environment, startTime, step } = request;
  const ascending = request.ascending ?? true;
  const limit = request.limit ?? defaultLimit;
  const orderby = request.orderby ?? 'start_time';
  const sign = ascending ? 1 : -1;
  const ordered = values.toSorted((a, b) =>
    orderby === 'value' ? sign * (a.value - b.value) : sign * (a.hour - b.hour),
  );
  const results = ordered.slice(0, limit).map(({ hour, value }) => ({ startTime: startOf(hour), value }));
  return {
    nrResults: results.length,
    totalNrResults: values.length,
    queryParams: { ascending, environment: environment || undefined, limit, orderby, startTime, step },
    results,
  };
}

const startOf = (hour: number) => BigInt(Math.round(hour * 3_600));

function groupedMessage({ metric, hour, group, value }: MetricValue, names: readonly GroupName[]) {
  return { metric, startTime: startOf(hour), group: groupOf(names, group), value };
}
