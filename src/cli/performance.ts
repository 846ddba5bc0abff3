/** `personalisation metrics performance|visitors`: metrics by item, query or placement. */

import type { Command } from 'commander';
import { type MetricDimensions, MetricDimensionsSchema } from '../../gen/es/personalisation/v1/metric_pb.js';
import type { MetricDefinition, MetricFigure } from '../../gen/es/personalisation/v1/performance_pb.js';
import {
  ListPerformanceResponseSchema,
  ListVisitorMetricsResponseSchema,
  PerformanceService,
} from '../../gen/es/personalisation/v1/performance_service_pb.js';
import { parseAssignment, parseCount } from './arguments.ts';
import { serviceAction } from './connection/actions.ts';
import type { Connection } from './connection/connect.ts';
import { type EnvironmentOptions, withConnection } from './connection/options.ts';
import { type Cell, formatTable, printMessage } from './output.ts';

type Options = EnvironmentOptions & { from?: string; to?: string; json?: boolean };

type PerformanceOptions = Options & {
  compare?: boolean;
  orderBy?: string;
  text?: string;
  where?: string[];
  limit: number;
};

/** Name of a dimension's field, such as `pageType` for `page_type`. */
const fields = new Map(
  MetricDimensionsSchema.fields.map(({ name, localName }) => [name, localName as keyof Dimensions]),
);

type Dimensions = Omit<MetricDimensions, '$typeName' | '$unknown'>;

/** Returns the property of `segments.device_class`; undefined for other dimensions. */
const propertyOf = (name: string) => (name.startsWith('segments.') ? name.slice(9) : undefined);

export function dimensionIn(group: MetricDimensions | undefined, name: string): string | undefined {
  const property = propertyOf(name);
  return property === undefined
    ? (group?.[fields.get(name)!] as string | undefined)
    : group?.segments[property];
}

/** Reads `version=B`; an empty value selects results without a version. */
export function parseWhere(assignments: readonly string[] = []): Partial<Dimensions> | undefined {
  if (assignments.length === 0) return undefined;
  const where: Partial<Dimensions> = {};
  const segments: Record<string, string> = {};
  for (const assignment of assignments) {
    const [name, value] = parseAssignment(assignment, '--where', 'dimension=value');
    const property = propertyOf(name);
    if (property === undefined) Object.assign(where, { [fields.get(name) ?? name]: value });
    else segments[property] = value;
  }
  return { ...where, segments };
}

export function registerPerformance(metrics: Command): void {
  withDays(withConnection(metrics.command('performance')))
    .description('print metrics of items, queries or placements, best first')
    .argument(
      '<dimension>',
      'item, query, rank, row, a dimension of metrics such as segments.device_class, or a key of items such as brand',
    )
    .option('--compare', 'with the previous period')
    .option('--order-by <metric>', 'metric, followed by " desc" for the best first')
    .option('--text <text>', 'only values or titles with this text')
    .option('--where <dimension=value...>', 'of dimensions of metrics, only with this value')
    .option('--limit <count>', 'most rows', parseCount, 20)
    .action(serviceAction(printPerformance));
  withDays(withConnection(metrics.command('visitors')))
    .description('print visitors, sessions, conversion and revenue')
    .option('--step <step>', 'day, week, month or total', 'total')
    .action(serviceAction(printVisitors));
}

function withDays(command: Command): Command {
  return command
    .requiredOption('--environment <name>', 'environment')
    .option('--from <day>', 'first day, such as 2026-11-01')
    .option('--to <day>', 'last day')
    .option('--json', 'print the answer as JSON');
}

async function printPerformance(connection: Connection, dimension: string, options: PerformanceOptions) {
  const { from: firstDay, to: lastDay, json, where, ...rest } = options;
  const request = { ...rest, where: parseWhere(where), dimension, firstDay, lastDay };
  const answer = await connection.client(PerformanceService).listPerformance(request);
  if (json) return printMessage(ListPerformanceResponseSchema, answer);
  const { metrics, rows, summary } = answer;
  const heads = metrics.flatMap(({ name }) => (options.compare ? [name, 'before'] : [name]));
  const lines = [{ ...summary!, value: 'all' }, ...rows].map(({ value, figures, previousFigures }) => [
    value || '–',
    ...metrics.flatMap((metric, place) => {
      const now = cellOf(metric, figures[place]);
      return options.compare ? [now, cellOf(metric, previousFigures[place])] : [now];
    }),
  ]);
  process.stdout.write(formatTable([dimension, ...heads], lines));
}

async function printVisitors(connection: Connection, options: Options & { step: string }): Promise<void> {
  const { environment, from: firstDay, to: lastDay, step, json } = options;
  const service = connection.client(PerformanceService);
  const answer = await service.listVisitorMetrics({ environment, firstDay, lastDay, step });
  if (json) return printMessage(ListVisitorMetricsResponseSchema, answer);
  const { metrics, periods, sampledShare } = answer;
  const lines = periods.map(({ firstDay: first, lastDay: last, figures }) => [
    ...[first, last],
    ...metrics.map((metric, place) => cellOf(metric, figures[place])),
  ]);
  const note = sampledShare < 1 ? `Estimated from ${100 * sampledShare} % of the visitors.\n` : '';
  process.stdout.write(`${formatTable(['from', 'to', ...metrics.map(({ name }) => name)], lines)}${note}`);
}

const cellOf = ({ unit }: MetricDefinition, figure: MetricFigure | undefined): Cell =>
  figure?.value === undefined ? '–' : unit === 'count' ? figure.value : Number(figure.value.toPrecision(4));
