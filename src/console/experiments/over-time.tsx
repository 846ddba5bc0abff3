import { callUnaryMethod, createConnectQueryKey, useTransport } from '@connectrpc/connect-query';
import { Group, Select, Text } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { useQueries } from '@tanstack/react-query';
import {
  ExperimentService,
  type ReadExperimentResponse,
} from '../../../gen/es/personalisation/v1/experiment_service_pb.js';
import { formatChange, formatDay } from '../kit/format.ts';
import { metricLabel } from '../kit/metrics.ts';
import { ErrorNotice, Loading, Section } from '../kit/page.tsx';
import { useAddress } from '../service/address.ts';
import { useConsole } from '../service/console-context.ts';
import { t } from '../texts/texts.ts';
import { differenceColor, isMeasured, tooFew } from './results.tsx';

const lookCount = 8;
const hourMs = 3_600_000;
const title = t('Result over time');

export type Period = { dimension: string; fromMs: number; toMs: number };

export const toHour = (ms: number): string => new Date(ms).toISOString().replace('.000', '');

/** How the interval of one metric narrowed since the start. */
export function OverTime({ reading, period }: { reading: ReadExperimentResponse; period: Period }) {
  const { values, set } = useAddress<'metric' | 'arm'>();
  const measured = reading.differences.filter((one) => one.controlMean !== 0 && isMeasured(one));
  const metrics = [...new Set(measured.map(({ metric }) => metric))];
  const arms = [...new Set(measured.map(({ arm }) => arm))];
  const metric = metrics.find((one) => one === values.metric) ?? metrics[0];
  const arm = arms.find((one) => one === values.arm) ?? arms[0];
  const readings = useReadings(period, metric !== undefined);
  if (metric === undefined) return null;
  const looks = readings.map(({ toMs, data }) => lookAt(toMs, data, metric, arm));
  const failed = readings.filter(({ error }) => error);
  const isLoading = failed.length === 0 && readings.some(({ data }) => data === undefined);
  const choices = (
    <Group gap="xs">
      {arms.length > 1 && (
        <Select
          aria-label={t('Variant')}
          data={arms}
          value={arm}
          onChange={(next) => set({ arm: next ?? '' })}
        />
      )}
      <Select
        aria-label={t('Metric')}
        data={metrics.map((value) => ({ value, label: metricLabel(value) }))}
        value={metric}
        onChange={(next) => set({ metric: next ?? '' })}
      />
    </Group>
  );
  return (
    <Section title={title} lead={t('Intervals since the start, compared with control.')} actions={choices}>
      {isLoading && <Loading h={220} />}
      {failed.length > 0 && (
        <ErrorNotice error={failed[0].error!} onRetry={() => failed.map(({ refetch }) => refetch())} />
      )}
      {!isLoading && failed.length === 0 && (
        <>
          <LookChart label={title} looks={looks} />
          <Summary looks={looks} />
        </>
      )}
    </Section>
  );
}

function lookAt(atMs: number, data: ReadExperimentResponse | undefined, metric: string, arm: string): Look {
  const found = data?.differences.find((one) => one.metric === metric && one.arm === arm);
  const { controlMean = 0, interval, relativeDifference, significant = false } = found ?? {};
  const relative = (value: number | undefined) =>
    value === undefined || controlMean === 0 ? undefined : value / Math.abs(controlMean);
  return {
    atMs,
    value: relativeDifference,
    low: relative(interval?.low),
    high: relative(interval?.high),
    isProven: significant,
  };
}

function Summary({ looks }: { looks: readonly Look[] }) {
  const last = looks.at(-1);
  const proven = looks.find(({ isProven }) => isProven);
  if (last?.low === undefined || last.high === undefined) return <Text size="sm">{tooFew}</Text>;
  return (
    <Text size="sm" mt="xs">
      {t('The change is between {low} and {high}.', {
        low: formatChange(last.low),
        high: formatChange(last.high),
      })}{' '}
      {last.isProven && proven
        ? t('Significant since {day}.', { day: formatDay(new Date(proven.atMs)) })
        : t('No significant difference yet.')}
    </Text>
  );
}

/** Reads the experiment at equally spaced times; the intervals hold at all of them together. */
function useReadings({ dimension, fromMs, toMs }: Period, enabled: boolean) {
  const environment = useConsole().environment.name;
  const transport = useTransport();
  const schema = ExperimentService.method.readExperiment;
  const spanMs = toMs - fromMs;
  const times = Array.from(
    { length: lookCount },
    (_, i) => Math.floor((fromMs + (spanMs * (i + 1)) / lookCount) / hourMs) * hourMs,
  );
  const results = useQueries({
    queries: times.map((timeMs) => {
      const input = { environment, dimension, startTime: { gte: toHour(fromMs), lt: toHour(timeMs) } };
      return {
        queryKey: createConnectQueryKey({ schema, input, transport, cardinality: 'finite' as const }),
        queryFn: () => callUnaryMethod(transport, schema, input),
        enabled,
      };
    }),
  });
  return results.map(({ data, error, refetch }, i) => ({ toMs: times[i], data, error, refetch }));
}

/** Result of a metric at one time, relative to control. */
type Look = {
  atMs: number;
  value?: number;
  /** Ends of the interval; absent with too few devices. */
  low?: number;
  high?: number;
  isProven: boolean;
};

const height = 220;
const margin = { left: 58, right: 12, top: 10, bottom: 24 };
/** Pixels that a date needs. */
const labelWidth = 110;

/** Intervals over time, around the line of no difference. */
function LookChart({ label, looks }: { label: string; looks: readonly Look[] }) {
  const { ref, width } = useElementSize();
  const ends = looks.flatMap(({ low = 0, high = 0 }) => [Math.abs(low), Math.abs(high)]);
  const reach = Math.max(...ends, 0.01) * 1.05;
  const step = Math.max(width - margin.left - margin.right, 0) / looks.length;
  const x = (index: number) => margin.left + step * (index + 0.5);
  const middle = (margin.top + height - margin.bottom) / 2;
  const y = (value: number) => middle - (value / reach) * (middle - margin.top);
  const every = Math.max(1, Math.ceil(labelWidth / Math.max(step, 1)));
  const line = roundBelow(reach);
  const last = looks.length - 1;
  return (
    <div ref={ref} style={{ minHeight: height }}>
      <svg width={width} height={height} role="img" aria-label={label} fontSize={11} display="block">
        {[line, 0, -line].map((value) => (
          <g key={value}>
            <line
              x1={margin.left}
              x2={width - margin.right}
              y1={y(value)}
              y2={y(value)}
              stroke="var(--line)"
            />
            <text x={margin.left - 8} y={y(value) + 4} textAnchor="end" fill="var(--quiet)">
              {formatChange(value)}
            </text>
          </g>
        ))}
        {looks.map((look, index) => (
          <g key={look.atMs}>
            <Interval look={look} x={x(index)} y={y} />
            {(last - index) % every === 0 && (
              <text
                x={index === last ? x(index) + step / 2 : x(index)}
                y={height - 6}
                textAnchor={index === last ? 'end' : 'middle'}
                fill="var(--quiet)"
              >
                {formatDay(new Date(look.atMs))}
              </text>
            )}
          </g>
        ))}
      </svg>
    </div>
  );
}

/** Largest of 1, 2 and 5 times a power of ten below a value. */
function roundBelow(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return power * ([5, 2].find((times) => times * power < value) ?? 1);
}

type IntervalProps = { look: Look; x: number; y(value: number): number };

function Interval({ look: { atMs, value, low, high, isProven }, x, y }: IntervalProps) {
  if (low === undefined || high === undefined || value === undefined) return null;
  const color = differenceColor(isProven, value);
  return (
    <>
      <title>
        {t('{day}: {low} to {high}', {
          day: formatDay(new Date(atMs)),
          low: formatChange(low),
          high: formatChange(high),
        })}
      </title>
      <line x1={x} x2={x} y1={y(low)} y2={y(high)} stroke={color} strokeWidth={4} strokeLinecap="round" />
      <circle cx={x} cy={y(value)} r={5} fill={color} />
    </>
  );
}
