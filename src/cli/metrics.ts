/** `personalisation metrics list|query|performance|visitors`: values of metrics. */

import type { Command } from 'commander';
import type { GroupedMetricResult } from '../../gen/es/personalisation/v1/metric_pb.js';
import {
  MetricService,
  type QueryMetricsResponse,
  QueryMetricsResponseSchema,
} from '../../gen/es/personalisation/v1/metric_service_pb.js';
import { parseCount, parseMoment } from './arguments.ts';
import { serviceAction } from './connection/actions.ts';
import type { Connection } from './connection/connect.ts';
import { type ConnectionOptions, type EnvironmentOptions, withConnection } from './connection/options.ts';
import { type Cell, formatTable, print, printMessage } from './output.ts';
import { dimensionIn, parseWhere, registerPerformance } from './performance.ts';

export type Interval = { from?: string; to?: string };
type QueryOptions = EnvironmentOptions &
  Interval & { groupBy?: string[]; where?: string[]; byDay?: boolean; limit: number; json?: boolean };

export function registerMetrics(program: Command): void {
  const command = program.command('metrics').description('values of metrics, by hour');
  withConnection(command.command('list'))
    .description('print the names of all metrics')
    .action(
      serviceAction(async (connection, _: ConnectionOptions) => {
        const { metrics } = await connection.client(MetricService).listMetrics({});
        for (const { metricName } of metrics) print(metricName);
      }),
    );
  withInterval(withConnection(command.command('query')))
    .description('print values of metrics, grouped by dimensions of events')
    .argument('<metric...>', 'names of metrics')
    .option(
      '--group-by <dimension...>',
      'user_group, version, page_type, list_name, channel, configuration, segments.device_class',
    )
    .option('--where <dimension=value...>', 'only results with this value')
    .option('--by-day', 'calendar days of the environment instead of hours')
    .option('--limit <count>', 'most results', parseCount, 100)
    .action(serviceAction(queryMetrics));
  registerPerformance(command);
}

export function withInterval(command: Command): Command {
  return command
    .requiredOption('--environment <name>', 'environment')
    .option('--from <hour>', 'first hour, such as 2026-11-01T00:00:00Z', parseHour)
    .option('--to <hour>', 'first hour after', parseHour)
    .option('--json', 'print the answer as JSON');
}

function parseHour(text: string): string {
  return parseMoment(text)
    .toISOString()
    .replace(/\.\d+Z$/, 'Z');
}

export function intervalOf({ from, to }: Interval) {
  return from === undefined && to === undefined ? undefined : { gte: from, lt: to };
}

async function queryMetrics(connection: Connection, metrics: string[], options: QueryOptions): Promise<void> {
  const { environment, groupBy = [], where = [], byDay, limit, json } = options;
  const answer = await connection.client(MetricService).queryMetrics({
    environment,
    metrics,
    groupBy,
    where: parseWhere(where),
    startTime: intervalOf(options),
    limit,
    step: byDay ? 'day' : undefined,
  });
  if (json) await printMessage(QueryMetricsResponseSchema, answer);
  else process.stdout.write(describeResults(answer, groupBy));
}

function describeResults(answer: QueryMetricsResponse, groupBy: readonly string[]): string {
  const { results, totalNrResults: total } = answer;
  if (results.length === 0) return 'There are no values.\n';
  const rows = results.map((result) => rowOf(result, groupBy));
  const more = total > results.length ? `… and ${total - results.length} more; see --limit.\n` : '';
  return `${formatTable(['start', 'metric', ...groupBy, 'value'], rows)}${more}`;
}

function rowOf({ metric, startTime, group, value }: GroupedMetricResult, groupBy: readonly string[]): Cell[] {
  const hour = `${new Date(Number(startTime) * 1_000).toISOString().slice(0, 16).replace('T', ' ')}Z`;
  const number = metric.endsWith('_rate') ? rounded(value) : value;
  const dimensions = groupBy.map((name) => dimensionIn(group, name) || '–');
  return [hour, metric, ...dimensions, number];
}

/** Four significant digits, for means and rates; counts are printed exactly. */
export function rounded(value: number): number {
  return Number(value.toPrecision(4));
}
