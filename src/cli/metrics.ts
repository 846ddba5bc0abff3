/** `personalisation metrics list|query` and `experiments read`: what it all brought. */

import type { Command } from 'commander';
import type { MetricDifference } from '../../gen/grpc/personalisation/v1/experiment.ts';
import {
  ExperimentServiceClient,
  type ReadExperimentResponse,
} from '../../gen/grpc/personalisation/v1/experiment_service.ts';
import type { GroupedMetricResult, MetricDimensions } from '../../gen/grpc/personalisation/v1/metric.ts';
import {
  type ListMetricsResponse,
  MetricServiceClient,
  type QueryMetricsResponse,
} from '../../gen/grpc/personalisation/v1/metric_service.ts';
import { ask, type Connection, withConnected } from './connection/connect.ts';
import { type ConnectionOptions, parseCount, parseMoment, withConnection } from './connection/options.ts';
import { conclude, exitCodes } from './connection/outcome.ts';
import { type Cell, formatTable } from './table.ts';

type Dimension = keyof MetricDimensions;
type Interval = { from?: string; to?: string };
type QueryOptions = ConnectionOptions &
  Interval & { environment: string; groupBy?: Dimension[]; where?: string[]; limit: number; json?: boolean };
type ReadOptions = ConnectionOptions &
  Interval & {
    environment: string;
    dimension?: string;
    control?: string;
    confidence?: number;
    json?: boolean;
  };

export function registerMetrics(program: Command): void {
  const command = program.command('metrics').description('values of metrics, by hour');
  withConnection(command.command('list'))
    .description('print the names of all metrics')
    .action((options: ConnectionOptions) => conclude(() => withConnected(options, listMetrics)));
  withInterval(withConnection(command.command('query')))
    .description('print values of metrics, grouped by dimensions of events')
    .argument('<metric...>', 'names of metrics')
    .option('--group-by <dimension...>', 'user_group, version, page_type, list_name, channel, configuration')
    .option('--where <dimension=value...>', 'only what has this value')
    .option('--limit <count>', 'most results', parseCount, 100)
    .action((metrics: string[], options: QueryOptions) =>
      conclude(() => withConnected(options, (connection) => queryMetrics(connection, metrics, options))),
    );
}

export function registerExperiments(program: Command): void {
  const command = program.command('experiments').description('what versions and user groups brought');
  withInterval(withConnection(command.command('read')))
    .description(
      'compare every arm of a running experiment with the control; the intervals bear repeated looks',
    )
    .option('--dimension <name>', 'version or user_group [version]')
    .option('--control <name>', 'arm to compare with')
    .option('--confidence <share>', 'of each interval [0.95]', Number)
    .action((options: ReadOptions) =>
      conclude(() => withConnected(options, (connection) => readExperiment(connection, options))),
    );
}

function withInterval(command: Command): Command {
  return command
    .requiredOption('--environment <name>', 'environment')
    .option('--from <hour>', 'first hour, e.g. 2026-11-01T00:00:00Z', parseHour)
    .option('--to <hour>', 'first hour after', parseHour)
    .option('--json', 'print the answer as JSON');
}

function parseHour(text: string): string {
  return parseMoment(text)
    .toISOString()
    .replace(/\.\d+Z$/, 'Z');
}

function intervalOf({ from, to }: Interval) {
  return from === undefined && to === undefined ? undefined : { gte: from, lt: to };
}

async function listMetrics(connection: Connection): Promise<number> {
  const service = connection.client(MetricServiceClient);
  const { metrics } = await ask<ListMetricsResponse>((call, callback) =>
    service.listMetrics({}, connection.metadata, call, callback),
  );
  process.stdout.write(metrics.map(({ metric_name: name }) => `${name}\n`).join(''));
  return exitCodes.success;
}

async function queryMetrics(connection: Connection, metrics: string[], options: QueryOptions) {
  const { environment, groupBy = [], where = [], limit, json } = options;
  const request = {
    environment,
    metrics,
    group_by: groupBy,
    where: where.length > 0 ? parseWhere(where) : undefined,
    start_time: intervalOf(options),
    limit,
  };
  const service = connection.client(MetricServiceClient);
  const answer = await ask<QueryMetricsResponse>((call, callback) =>
    service.queryMetrics(request, connection.metadata, call, callback),
  );
  process.stdout.write(json ? `${JSON.stringify(answer, undefined, 2)}\n` : describeResults(answer, groupBy));
  return exitCodes.success;
}

/** `version=B`; nothing after the sign selects what has no version. */
function parseWhere(assignments: readonly string[]): MetricDimensions {
  const pairs = assignments.map((assignment) => {
    const [, name, value] = /^([^=]+)=(.*)$/s.exec(assignment) ?? [];
    if (name === undefined) throw new Error(`--where ${assignment}: write it as dimension=value.`);
    return [name, value];
  });
  return Object.fromEntries(pairs) as MetricDimensions;
}

/** A line each, and how many more there are. */
function describeResults(answer: QueryMetricsResponse, groupBy: readonly Dimension[]): string {
  const { results, total_nr_results: total } = answer;
  if (results.length === 0) return 'There are no values.\n';
  const rows = results.map((result) => rowOf(result, groupBy));
  const more = total > results.length ? `… and ${total - results.length} more; see --limit.\n` : '';
  return `${formatTable(['hour', 'metric', ...groupBy, 'value'], rows)}${more}`;
}

function rowOf({ metric, start_time, group, value }: GroupedMetricResult, groupBy: readonly Dimension[]) {
  const hour = `${new Date(start_time * 1_000).toISOString().slice(0, 16).replace('T', ' ')}Z`;
  const number = metric.endsWith('_rate') ? rounded(value) : value;
  return [hour, metric, ...groupBy.map((dimension): Cell => group?.[dimension] || '–'), number];
}

async function readExperiment(connection: Connection, options: ReadOptions): Promise<number> {
  const { environment, dimension, control, confidence, json } = options;
  const request = { environment, dimension, control, confidence, start_time: intervalOf(options) };
  const service = connection.client(ExperimentServiceClient);
  const answer = await ask<ReadExperimentResponse>((call, callback) =>
    service.readExperiment(request, connection.metadata, call, callback),
  );
  process.stdout.write(json ? `${JSON.stringify(answer, undefined, 2)}\n` : describeExperiment(answer));
  return exitCodes.success;
}

/** The arms, whether they can be compared at all, then a line for each metric and arm. */
function describeExperiment(answer: ReadExperimentResponse): string {
  const { arms, differences, crossed_device_count: crossed, sample_ratio: ratio } = answer;
  const armRows = arms.map(({ name, device_count, declared_share }) => [
    name,
    device_count,
    rounded(declared_share),
  ]);
  const notes = [
    crossed > 0 ? `${crossed} devices were in several arms and are left out.\n` : '',
    ratio?.mismatch
      ? 'Devices did not arrive in the declared shares: assignment or tracking is broken, trust no difference.\n'
      : '',
  ];
  const heads = ['metric', 'arm', 'control', 'mean', 'difference', 'interval', ''];
  const found = differences.length > 0 ? formatTable(heads, differences.map(differenceRow)) : '';
  return `${formatTable(['arm', 'devices', 'share'], armRows)}${notes.join('')}\n${found}`;
}

function differenceRow(difference: MetricDifference): Cell[] {
  const {
    metric,
    arm,
    control_mean,
    arm_mean,
    relative_difference: relative,
    interval,
    significant,
  } = difference;
  return [
    metric,
    arm,
    rounded(control_mean),
    rounded(arm_mean),
    relative === undefined ? '' : `${(100 * relative).toFixed(1)} %`,
    interval ? `${rounded(interval.low)} … ${rounded(interval.high)}` : 'too few devices',
    significant ? 'significant' : '',
  ];
}

/** Four digits that count, of means and rates; what is counted is told whole. */
function rounded(value: number): number {
  return Number(value.toPrecision(4));
}
