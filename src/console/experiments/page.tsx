import { useQuery } from '@connectrpc/connect-query';
import {
  Alert,
  Group,
  Paper,
  SegmentedControl,
  Select,
  SimpleGrid,
  Skeleton,
  Stack,
  Table,
  Text,
  Title,
} from '@mantine/core';
import { FlaskConical } from 'lucide-react';
import { useMemo } from 'react';
import {
  ExperimentService,
  type ReadExperimentResponse,
} from '../../../gen/es/personalisation/v1/experiment_service_pb.js';
import { Empty } from '../kit/empty.tsx';
import { ErrorNotice } from '../kit/error-notice.tsx';
import { formatCount, formatShare } from '../kit/format.ts';
import { PageFrame } from '../kit/page.tsx';
import { useAddress } from '../service/address.ts';
import { useConsole } from '../service/console-context.ts';
import { Conclusions } from './conclusions.tsx';
import { Differences } from './differences.tsx';
import { hasHappened } from './happened.ts';
import { type Asked, OverTime } from './over-time.tsx';
import { text } from './text.ts';

const dayMs = 86_400_000;
const hourMs = 3_600_000;

type Dimension = 'version' | 'user_group';

/** A running split, read. */
export function Page() {
  const { environment } = useConsole();
  const { values, set } = useAddress<'dimension' | 'days'>();
  const offered: Dimension[] = [
    ...(environment.versions.length > 1 ? ['version' as const] : []),
    ...(environment.userGroups.length > 1 ? ['user_group' as const] : []),
  ];
  const dimension = offered.find((one) => one === values.dimension) ?? offered[0];
  const days = Number(values.days) || 28;
  const interval = useMemo(() => intervalOf(days), [days]);
  const { data, error, refetch } = useQuery(
    ExperimentService.method.readExperiment,
    {
      environment: environment.name,
      dimension,
      startTime: { gte: written(interval.fromMs), lt: written(interval.toMs) },
    },
    { enabled: dimension !== undefined },
  );
  return (
    <PageFrame title={text.title} lead={text.lead}>
      {dimension === undefined && (
        <Empty icon={FlaskConical} title={text.none}>
          {text.noneLead}
        </Empty>
      )}
      {dimension !== undefined && (
        <Group mb="lg" align="flex-end">
          {offered.length > 1 && (
            <SegmentedControl
              aria-label="What is compared"
              data={offered.map((value) => ({ value, label: text.dimension[value] }))}
              value={dimension}
              onChange={(next) => set({ dimension: next })}
              transitionDuration={0}
            />
          )}
          <Select
            label={text.days}
            data={[7, 14, 28, 56, 91].map((count) => ({ value: String(count), label: `${count} days ago` }))}
            value={String(days)}
            onChange={(next) => set({ days: next ?? '' })}
            w={160}
          />
        </Group>
      )}
      {error && <ErrorNotice error={error} onRetry={refetch} />}
      {dimension !== undefined && !data && !error && <Skeleton h={300} role="status" aria-label="Loading" />}
      {data && dimension && (
        <Experiment reading={data} asked={{ environment: environment.name, dimension, ...interval }} />
      )}
    </PageFrame>
  );
}

function intervalOf(days: number) {
  const toMs = Math.ceil(Date.now() / hourMs) * hourMs;
  return { fromMs: toMs - days * dayMs, toMs };
}

const written = (ms: number): string => new Date(ms).toISOString().replace('.000', '');

function Experiment({ reading, asked }: { reading: ReadExperimentResponse; asked: Asked }) {
  return (
    <Stack gap="lg">
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <Arms reading={reading} />
        <Conclusions reading={reading} />
      </SimpleGrid>
      <OverTime reading={reading} asked={asked} />
      {reading.differences.some(hasHappened) && <Differences reading={reading} />}
    </Stack>
  );
}

function Arms({ reading: { arms, sampleRatio, crossedDeviceCount } }: { reading: ReadExperimentResponse }) {
  const all = arms.reduce((sum, { deviceCount }) => sum + Number(deviceCount), 0);
  return (
    <Paper p="md" miw={0}>
      <Title order={2} mb="sm">
        {text.arms}
      </Title>
      <Table horizontalSpacing={6} verticalSpacing={6}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Arm</Table.Th>
            <Table.Th ta="end">Devices</Table.Th>
            <Table.Th ta="end">Share</Table.Th>
            <Table.Th ta="end">Declared</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {arms.map(({ name, deviceCount, declaredShare }, place) => (
            <Table.Tr key={name}>
              <Table.Td>
                <bdi>{name}</bdi> {place === 0 && <span className="quiet">control</span>}
              </Table.Td>
              <Table.Td ta="end" className="numbers">
                {formatCount(Number(deviceCount))}
              </Table.Td>
              <Table.Td ta="end" className="numbers">
                {formatShare(all === 0 ? 0 : Number(deviceCount) / all)}
              </Table.Td>
              <Table.Td ta="end" className="numbers">
                {formatShare(declaredShare)}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      {sampleRatio && all > 0 && (
        <Alert mt="sm" py="xs" variant="light" color={sampleRatio.mismatch ? 'red' : 'green'}>
          {sampleRatio.mismatch ? text.mismatch : text.ratioFine}
        </Alert>
      )}
      {crossedDeviceCount > 0n && (
        <Text size="xs" className="quiet" mt="xs">
          {text.crossed(formatCount(Number(crossedDeviceCount)))}
        </Text>
      )}
    </Paper>
  );
}
