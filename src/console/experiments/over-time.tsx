import { callUnaryMethod, createConnectQueryKey, useTransport } from '@connectrpc/connect-query';
import { Group, Select, Text } from '@mantine/core';
import { useQueries } from '@tanstack/react-query';
import {
  ExperimentService,
  type ReadExperimentResponse,
} from '../../../gen/es/personalisation/v1/experiment_service_pb.js';
import { formatChange, formatDay } from '../kit/format.ts';
import { metricLabel } from '../kit/metrics.ts';
import { ErrorNotice, Loading, Section } from '../kit/page.tsx';
import { useAddress } from '../service/address.ts';
import { isMeasured, tooFew } from './conclusions.tsx';
import { type Look, LookChart } from './look-chart.tsx';

const lookCount = 8;
const hourMs = 3_600_000;
const title = 'Result over time';

export type Period = { environment: string; dimension: string; fromMs: number; toMs: number };

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
        <Select aria-label="Variant" data={arms} value={arm} onChange={(next) => set({ arm: next ?? '' })} />
      )}
      <Select
        aria-label="Metric"
        data={metrics.map((value) => ({ value, label: metricLabel(value) }))}
        value={metric}
        onChange={(next) => set({ metric: next ?? '' })}
      />
    </Group>
  );
  return (
    <Section title={title} lead="Intervals since the start, compared with control." actions={choices}>
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
      The change is between {formatChange(last.low)} and {formatChange(last.high)}.{' '}
      {last.isProven && proven
        ? `Significant since ${formatDay(new Date(proven.atMs))}.`
        : 'No significant difference yet.'}
    </Text>
  );
}

/** Reads the experiment at equally spaced times; the intervals hold at all of them together. */
function useReadings({ environment, dimension, fromMs, toMs }: Period, enabled: boolean) {
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
