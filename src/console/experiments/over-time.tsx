import { callUnaryMethod, createConnectQueryKey, useTransport } from '@connectrpc/connect-query';
import { Group, Paper, Select, Skeleton, Text, Title } from '@mantine/core';
import { useQueries } from '@tanstack/react-query';
import {
  ExperimentService,
  type ReadExperimentResponse,
} from '../../../gen/es/personalisation/v1/experiment_service_pb.js';
import { ErrorNotice } from '../kit/error-notice.tsx';
import { formatChange, formatDay } from '../kit/format.ts';
import { useAddress } from '../service/address.ts';
import { hasHappened } from './happened.ts';
import { type Look, LookChart } from './look-chart.tsx';
import { text } from './text.ts';

const looks = 8;

export type Asked = { environment: string; dimension: string; fromMs: number; toMs: number };

type OverTimeProps = { reading: ReadExperimentResponse; asked: Asked };

/** How the interval of one measure narrowed: what each look since the beginning would have told. */
export function OverTime({ reading, asked }: OverTimeProps) {
  const { values, set } = useAddress<'metric' | 'arm'>();
  const measured = reading.differences.filter((one) => one.controlMean !== 0 && hasHappened(one));
  const metrics = [...new Set(measured.map(({ metric }) => metric))];
  const arms = [...new Set(measured.map(({ arm }) => arm))];
  const metric = metrics.find((one) => one === values.metric) ?? metrics[0];
  const arm = arms.find((one) => one === values.arm) ?? arms[0];
  const readings = useLooks(asked, metric !== undefined);
  if (metric === undefined) return null;
  const series = readings.map(({ toMs, data }): Look => {
    const found = data?.differences.find((one) => one.metric === metric && one.arm === arm);
    const { controlMean = 0, interval, relativeDifference, significant = false } = found ?? {};
    const relative = (value: number) => value / Math.abs(controlMean);
    return {
      atMs: toMs,
      value: relativeDifference,
      low: interval && controlMean !== 0 ? relative(interval.low) : undefined,
      high: interval && controlMean !== 0 ? relative(interval.high) : undefined,
      isProven: significant,
    };
  });
  const failed = readings.filter(({ error }) => error);
  const isLoading = failed.length === 0 && readings.some(({ data }) => data === undefined);
  return (
    <Paper p="md" component="section" aria-label={text.overTime} miw={0}>
      <Group justify="space-between" mb={4} align="flex-start">
        <div>
          <Title order={2}>{text.overTime}</Title>
          <Text size="xs" className="quiet">
            {text.overTimeLead}
          </Text>
        </div>
        <Group gap="xs">
          {arms.length > 1 && (
            <Select
              aria-label={text.arm}
              data={arms}
              value={arm}
              onChange={(next) => set({ arm: next ?? '' })}
            />
          )}
          <Select
            aria-label={text.measure}
            data={metrics.map((value) => ({ value, label: value.replaceAll('_', ' ') }))}
            value={metric}
            onChange={(next) => set({ metric: next ?? '' })}
          />
        </Group>
      </Group>
      {isLoading && <Skeleton h={220} role="status" aria-label="Loading" />}
      {failed.length > 0 && (
        <ErrorNotice error={failed[0].error!} onRetry={() => failed.map(({ refetch }) => refetch())} />
      )}
      {!isLoading && failed.length === 0 && (
        <>
          <LookChart label={text.overTime} looks={series} />
          <Words looks={series} />
        </>
      )}
    </Paper>
  );
}

/** The same in words, for the last look and the first that proved something. */
function Words({ looks: all }: { looks: readonly Look[] }) {
  const last = all.at(-1);
  const proven = all.find(({ isProven }) => isProven);
  if (last?.low === undefined || last.high === undefined) return <Text size="sm">{text.few}</Text>;
  return (
    <Text size="sm" mt="xs">
      {text.now(formatChange(last.low), formatChange(last.high))}{' '}
      {last.isProven && proven ? text.provenSince(formatDay(new Date(proven.atMs))) : text.notYet}
    </Text>
  );
}

/** The experiment as it would have been read at even moments up to now; the intervals hold at all of them together. */
function useLooks({ environment, dimension, fromMs, toMs }: Asked, isEnabled: boolean) {
  const transport = useTransport();
  const method = ExperimentService.method.readExperiment;
  const hourMs = 3_600_000;
  const moments = Array.from(
    { length: looks },
    (_, i) => Math.floor((fromMs + ((toMs - fromMs) * (i + 1)) / looks) / hourMs) * hourMs,
  );
  const written = (ms: number) => new Date(ms).toISOString().replace('.000', '');
  const results = useQueries({
    queries: moments.map((moment) => {
      const input = { environment, dimension, startTime: { gte: written(fromMs), lt: written(moment) } };
      return {
        queryKey: createConnectQueryKey({ schema: method, input, transport, cardinality: 'finite' as const }),
        queryFn: () => callUnaryMethod(transport, method, input),
        enabled: isEnabled,
      };
    }),
  });
  return results.map(({ data, error, refetch }, i) => ({ toMs: moments[i], data, error, refetch }));
}
