import { useQuery } from '@connectrpc/connect-query';
import { Alert, Group, SegmentedControl, Select, SimpleGrid, Stack } from '@mantine/core';
import { useMemo } from 'react';
import {
  ExperimentService,
  type ReadExperimentResponse,
} from '../../../gen/es/personalisation/v1/experiment_service_pb.js';
import { formatCount, formatShare } from '../kit/format.ts';
import { FlaskConical } from '../kit/icons.ts';
import { Empty, ErrorNotice, Hint, Loading, PageFrame, Section } from '../kit/page.tsx';
import { DataTable } from '../kit/table.tsx';
import { useAddress } from '../service/address.ts';
import { useConsole } from '../service/console-context.ts';
import { Conclusions, isMeasured, mismatch } from './conclusions.tsx';
import { Differences } from './differences.tsx';
import { OverTime, type Period, toHour } from './over-time.tsx';

const dayMs = 86_400_000;
const hourMs = 3_600_000;
const usualDays = 28;

/** Results of a running split of devices. */
export function Page() {
  const { environment } = useConsole();
  const { values, set } = useAddress<'dimension' | 'days'>();
  const offered = [
    ...(environment.versions.length > 1 ? [{ value: 'version', label: 'Versions' }] : []),
    ...(environment.userGroups.length > 1 ? [{ value: 'user_group', label: 'User groups' }] : []),
  ];
  const dimension = (offered.find(({ value }) => value === values.dimension) ?? offered[0])?.value;
  const days = Number(values.days) || usualDays;
  const interval = useMemo(() => intervalOf(days), [days]);
  const startTime = { gte: toHour(interval.fromMs), lt: toHour(interval.toMs) };
  const { data, error, refetch } = useQuery(
    ExperimentService.method.readExperiment,
    { environment: environment.name, dimension, startTime },
    { enabled: dimension !== undefined },
  );
  return (
    <PageFrame
      title="Experiments"
      lead="Results of each version or user group, compared with control. The intervals stay valid however often you look."
    >
      {dimension === undefined ? (
        <Empty icon={FlaskConical} title="No experiment">
          Declare versions or user groups with shares in the deployment file to split devices among them.
        </Empty>
      ) : (
        <Group mb="lg" align="flex-end">
          {offered.length > 1 && (
            <SegmentedControl
              aria-label="Compare"
              data={offered}
              value={dimension}
              onChange={(next) => set({ dimension: next })}
            />
          )}
          <Select
            label="Since"
            data={[7, 14, 28, 56, 91].map((count) => ({ value: String(count), label: `${count} days ago` }))}
            value={String(days)}
            onChange={(next) => set({ days: next ?? '' })}
            w={160}
          />
        </Group>
      )}
      {error && <ErrorNotice error={error} onRetry={refetch} />}
      {dimension !== undefined && !data && !error && <Loading h={300} />}
      {data && dimension && (
        <Experiment reading={data} period={{ environment: environment.name, dimension, ...interval }} />
      )}
    </PageFrame>
  );
}

function intervalOf(days: number) {
  const toMs = Math.ceil(Date.now() / hourMs) * hourMs;
  return { fromMs: toMs - days * dayMs, toMs };
}

function Experiment({ reading, period }: { reading: ReadExperimentResponse; period: Period }) {
  return (
    <Stack gap="lg">
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <Variants reading={reading} />
        <Conclusions reading={reading} />
      </SimpleGrid>
      <OverTime reading={reading} period={period} />
      {reading.differences.some(isMeasured) && <Differences reading={reading} />}
    </Stack>
  );
}

function Variants({
  reading: { arms, sampleRatio, crossedDeviceCount },
}: {
  reading: ReadExperimentResponse;
}) {
  const all = arms.reduce((sum, { deviceCount }) => sum + Number(deviceCount), 0);
  const shareOf = (count: bigint) => formatShare(all === 0 ? 0 : Number(count) / all);
  return (
    <Section title="Variants">
      <DataTable
        horizontalSpacing={6}
        verticalSpacing={6}
        rows={arms}
        keyOf={({ name }) => name}
        columns={[
          {
            label: 'Variant',
            cell: ({ name }, index) => (
              <>
                <bdi>{name}</bdi> {index === 0 && <span className="quiet">control</span>}
              </>
            ),
          },
          { label: 'Devices', isNumber: true, cell: (arm) => formatCount(Number(arm.deviceCount)) },
          { label: 'Share', isNumber: true, cell: (arm) => shareOf(arm.deviceCount) },
          { label: 'Declared share', isNumber: true, cell: (arm) => formatShare(arm.declaredShare) },
        ]}
      />
      {sampleRatio && all > 0 && (
        <Alert mt="sm" py="xs" color={sampleRatio.mismatch ? 'red' : 'green'}>
          {sampleRatio.mismatch ? mismatch : 'The split of devices matches the declared shares.'}
        </Alert>
      )}
      {crossedDeviceCount > 0n && (
        <Hint mt="xs">
          {formatCount(Number(crossedDeviceCount))} devices were in several variants and are excluded.
        </Hint>
      )}
    </Section>
  );
}
