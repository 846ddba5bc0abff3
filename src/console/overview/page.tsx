import { Badge, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { PageFrame } from '../kit/page.tsx';
import { useConsole } from '../service/console-context.ts';
import { ActivityChart } from './activity-chart.tsx';
import { Findings } from './findings.tsx';
import { FirstSteps } from './first-steps.tsx';
import { text } from './text.ts';
import { WeekTiles } from './week-tiles.tsx';

/** Is it healthy, what arrives, what did it bring, and what is to mend? */
export function Page() {
  const { environment, can } = useConsole();
  return (
    <PageFrame title={text.title} lead={text.lead(environment.name)} actions={<Health />}>
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
    queryFn: async (): Promise<Readiness> => (await fetch('/readyz')).json(),
    refetchInterval: healthIntervalMs,
  });
  const isReady = data?.status === 'ready';
  const troubles = Object.entries(data?.checks ?? {}).filter(([, state]) => state !== 'ok');
  const sentence = isError
    ? 'The service cannot be reached.'
    : troubles.map(([name, state]) => `${name}: ${state}`).join(', ');
  if (!data && !isError) return null;
  return (
    <Group gap="xs" role="status">
      {sentence && <Text size="sm">{sentence}</Text>}
      <Badge variant="dot" color={isReady && !isError ? 'green' : 'red'} tt="none" size="lg">
        {isReady && !isError ? 'Healthy' : 'Not ready'}
      </Badge>
    </Group>
  );
}
