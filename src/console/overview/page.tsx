import { Badge, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { PageFrame } from '../kit/page.tsx';
import { useConsole } from '../service/console-context.ts';
import { settings } from '../service/settings.ts';
import { ActivityChart } from './activity-chart.tsx';
import { Findings } from './findings.tsx';
import { FirstSteps } from './first-steps.tsx';
import { WeekTiles } from './week-tiles.tsx';

/** Health, results of the week, incoming events, and issues to fix. */
export function Page() {
  const { environment, can } = useConsole();
  return (
    <PageFrame
      title="Overview"
      lead={`Recommendations and searches of ${environment.name}, and their results.`}
      actions={<Health />}
    >
      <Stack gap="lg">
        {environment.itemCount === 0 && <FirstSteps />}
        <WeekTiles />
        <SimpleGrid cols={{ base: 1, lg: can('admin') ? 2 : 1 }} spacing="lg">
          <ActivityChart />
          {can('admin') && <Findings />}
        </SimpleGrid>
      </Stack>
    </PageFrame>
  );
}

const healthIntervalMs = 10_000;

type Readiness = { status: string; checks: Record<string, string> };

function Health() {
  const { data, isError } = useQuery({
    queryKey: ['readyz'],
    queryFn: async (): Promise<Readiness> => (await fetch(`${settings.prefix}/readyz`)).json(),
    refetchInterval: healthIntervalMs,
  });
  if (!data && !isError) return null;
  const isReady = data?.status === 'ready' && !isError;
  const failing = Object.entries(data?.checks ?? {}).filter(([, state]) => state !== 'ok');
  const message = isError
    ? 'The service cannot be reached.'
    : failing.map(([name, state]) => `${name}: ${state}`).join(', ');
  return (
    <Group gap="xs" role="status">
      {message && <Text size="sm">{message}</Text>}
      <Badge variant="dot" color={isReady ? 'green' : 'red'} size="lg">
        {isReady ? 'Healthy' : 'Not ready'}
      </Badge>
    </Group>
  );
}
