import { Badge, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { Drop } from '../catalogue/import/drop.tsx';
import { handFile } from '../catalogue/import/handed-file.ts';
import { PageFrame, Section } from '../kit/page.tsx';
import { useConsole } from '../service/console-context.ts';
import { settings } from '../service/settings.ts';
import { t } from '../texts/texts.ts';
import { ActivityChart } from './activity-chart.tsx';
import { Checklist } from './checklist.tsx';
import { Findings } from './findings.tsx';
import { FirstSteps } from './first-steps.tsx';
import { PinnedViews } from './pinned-views.tsx';
import { RecentActivity } from './recent-activity.tsx';
import { WeekTiles } from './week-tiles.tsx';

/** Health, results of the week, incoming events, and issues to fix. */
export function Page() {
  const { environment, can } = useConsole();
  return (
    <PageFrame
      title={t('Overview')}
      lead={t('Recommendations and searches of {environment}, and their results.', {
        environment: environment.name,
      })}
      actions={<Health />}
    >
      <Stack gap="lg">
        {environment.itemCount === 0 ? (
          <>
            {can('items') && <DropFirst />}
            <Checklist />
            <FirstSteps />
          </>
        ) : (
          <>
            <WeekTiles />
            <PinnedViews />
            <Checklist />
            <SimpleGrid cols={{ base: 1, lg: can('admin') ? 2 : 1 }} spacing="lg">
              {can('admin') && <Findings />}
              <ActivityChart />
            </SimpleGrid>
            {can('configurations') && <RecentActivity />}
          </>
        )}
      </Stack>
    </PageFrame>
  );
}

/** Opens a dropped file on the import page. */
function DropFirst() {
  const { pathTo } = useConsole();
  const [, navigate] = useLocation();
  const open = (file: File) => {
    handFile(file);
    navigate(pathTo('catalogue/import'));
  };
  return (
    <Section
      title={t('Start with your catalogue')}
      lead={t('A dry run shows the result before anything is stored.')}
    >
      <Drop onFile={open} />
    </Section>
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
    ? t('The service cannot be reached.')
    : failing.map(([name, state]) => `${name}: ${state}`).join(', ');
  return (
    <Group gap="xs" role="status">
      {message && <Text size="sm">{message}</Text>}
      <Badge variant="dot" color={isReady ? 'green' : 'red'} size="lg">
        {isReady ? t('Healthy') : t('Not ready')}
      </Badge>
    </Group>
  );
}
