import { Anchor, Badge, Button, Group, SimpleGrid, Skeleton, Stack, Stepper, Text } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useMemo, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { AuditService } from '../../../gen/es/personalisation/v1/audit_service_pb.js';
import { ActivityTable } from '../activity/list.tsx';
import { Drop, handFile } from '../catalogue/import/drop.tsx';
import { greyIndex } from '../kit/colors.ts';
import { formatCount, formatCounted } from '../kit/format.ts';
import { CircleCheck, Square } from '../kit/icons.ts';
import { Hint, Loading, PageFrame, PageLink, Section } from '../kit/page.tsx';
import { usePreference } from '../kit/preferences.ts';
import { useRead } from '../kit/queries.ts';
import { Snippet } from '../kit/snippet.tsx';
import { binned, sumOf, useEndOfHour, useMetricResults } from '../metrics/queries.ts';
import { mostPinned, usePathOf, useViews } from '../metrics/saved-views.tsx';
import { daySeconds, hourSeconds } from '../metrics/view.ts';
import { useConsole } from '../service/console-context.ts';
import { settings } from '../service/settings.ts';
import { t } from '../texts/texts.ts';
import { Findings } from './findings.tsx';
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

/** The latest changes; hidden without any. */
function RecentActivity() {
  const environment = useConsole().environment.name;
  const { data } = useRead(AuditService.method.listActivity, { environment, pageSize: 5 });
  if (!data || data.entries.length === 0) return null;
  return (
    <Section title={t('Recent activity')} actions={<PageLink to="activity">{t('All activity')}</PageLink>}>
      <ActivityTable entries={data.entries} />
    </Section>
  );
}

const PinnedView = lazy(() => import('../metrics/pinned-view.tsx'));

/** Saved views of the metrics that are pinned. */
function PinnedViews() {
  const pathOf = usePathOf();
  const pinned = useViews().filter((view) => view.pinned);
  if (pinned.length === 0) return null;
  return (
    <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg">
      {pinned.slice(0, mostPinned).map((view) => (
        <Section
          key={view.viewId}
          title={view.title}
          actions={
            <Anchor
              component={Link}
              href={pathOf(view)}
              size="sm"
              aria-label={t('Open {title}', { title: view.title })}
            >
              {t('Open')}
            </Anchor>
          }
        >
          <Suspense fallback={<Loading h={200} />}>
            <PinnedView view={view} />
          </Suspense>
        </Section>
      ))}
    </SimpleGrid>
  );
}

const TimeChart = lazy(() => import('../kit/time-chart.tsx'));

const weekSeconds = 7 * daySeconds;
const refreshMs = 4_000;
const title = t('Events per hour');

/** Incoming events per hour; the current hour grows. */
function ActivityChart() {
  const to = useEndOfHour();
  const from = to - weekSeconds;
  const { data } = useMetricResults({ metrics: ['events'], from: from - weekSeconds, to, refreshMs });
  const chart = useMemo(() => {
    if (!data) return undefined;
    const now = binned(data.results, 'events', { from, to }, hourSeconds);
    const before = binned(data.results, 'events', { from: from - weekSeconds, to: from }, hourSeconds);
    return {
      times: now.map((_, index) => from + index * hourSeconds),
      series: [
        { label: t('Last 7 days'), values: now },
        { label: t('Previous 7 days'), values: before, isDashed: true, color: greyIndex },
      ],
      thisHour: now[now.length - 1],
    };
  }, [data, from, to]);
  const badge = chart && (
    <Badge color="gray" aria-live="off">
      {t('{count} events this hour', { count: formatCount(chart.thisHour) })}
    </Badge>
  );
  return (
    <Section title={title} lead={t('All incoming events; dashed: the previous 7 days.')} actions={badge}>
      <Suspense fallback={<Skeleton h={260} />}>
        {chart ? <TimeChart label={title} format={formatCount} {...chart} /> : <Skeleton h={260} />}
      </Suspense>
    </Section>
  );
}

/** First calls for an environment without items, with this service's address. */
function FirstSteps() {
  const { environment } = useConsole();
  const [step, setStep] = useState(0);
  const isNarrow = useMediaQuery('(max-width: 48em)');
  const itemType = environment.itemTypes[0]?.name ?? 'item';
  const snippets = snippetsFor(`${location.origin}${settings.basePath}`, environment.name, itemType);
  return (
    <Section
      p="lg"
      title={t('First steps')}
      lead={t('Create your first list with four calls. Copy and paste them.')}
    >
      <Stepper
        orientation={isNarrow ? 'vertical' : 'horizontal'}
        active={step}
        onStepClick={setStep}
        size="sm"
        allowNextStepsSelect
      >
        {Object.entries(snippets).map(([title, code]) => (
          <Stepper.Step key={title} label={title}>
            <Snippet code={code} label={title} />
          </Stepper.Step>
        ))}
      </Stepper>
    </Section>
  );
}

function snippetsFor(base: string, environment: string, itemType: string) {
  const headers = `-H "authorization: Bearer $token" -H 'content-type: application/json'`;
  return {
    [t('Get a token')]: `token=$(curl -s ${base}/oauth/token -d grant_type=client_credentials \\
  -d client_id=YOUR_CLIENT_ID -d client_secret=YOUR_CLIENT_SECRET |
  node -p "JSON.parse(require('fs').readFileSync(0)).access_token")`,
    [t('Send an item')]: `curl -X PUT ${base}/${environment}/items/${itemType}/first ${headers} \\
  -d '{ "title": "My first item", "categories": ["Start"] }'`,
    [t('Send an event')]: `curl ${base}/${environment}/events ${headers} -d '{
  "events": [{ "event_type": "detail_pageview", "device_id": "my-device", "page_type": "detail",
               "action_item": "first", "action_item_type": "${itemType}" }] }'`,
    [t('Request a list')]:
      `curl -X PUT ${base}/configurations/home ${headers} -d '{ "constraints": [], "preferences": [] }'
curl ${base}/${environment}/recommendations/requests ${headers} -d '{
  "device_id": "another-device", "page_type": "home",
  "lists": [{ "configuration_id": "home", "list_name": "for you", "list_size": 5 }] }'`,
  };
}

const lookBackDays = 28;
const metrics = ['events', 'recommendation_sets', 'impressions'];

type Step = { title: string; isDone: boolean; detail: string; to: string; label: string; area: string };

/** Steps from an empty environment to lists on a site, with what is done. Can be hidden once all is done. */
function Checklist() {
  const { environment, can, pathTo } = useConsole();
  const [isHidden, setHidden] = usePreference('checklist hidden', false);
  const to = useEndOfHour();
  const interval = { from: to - lookBackDays * daySeconds, to };
  const { data, error } = useMetricResults({ metrics, ...interval });
  const [events, sets, impressions] = metrics.map((metric) => sumOf(data?.results ?? [], metric, interval));
  const steps: Step[] = [
    {
      title: t('Import your catalogue'),
      isDone: environment.itemCount > 0,
      detail: t('{items} in the catalogue.', { items: formatCounted(environment.itemCount, 'item') }),
      ...{ to: 'catalogue/import', label: t('Import items'), area: 'items' },
    },
    {
      title: t('Send events'),
      isDone: events > 0,
      detail: t('{events} in the last {days} days.', {
        events: formatCounted(events, 'event'),
        days: lookBackDays,
      }),
      ...{ to: 'events', label: t('View events'), area: 'admin' },
    },
    {
      title: t('Place a list'),
      isDone: sets > 0 || impressions > 0,
      detail: t('{impressions} of lists in the last {days} days.', {
        impressions: formatCounted(impressions, 'impression'),
        days: lookBackDays,
      }),
      ...{ to: 'playground', label: t('Preview a list'), area: 'configurations' },
    },
  ];
  const isComplete = steps.every(({ isDone }) => isDone);
  if ((!data && !error) || (isComplete && isHidden)) return null;
  const hide = isComplete && (
    <Button variant="subtle" size="compact-xs" onClick={() => setHidden(true)}>
      {t('Hide')}
    </Button>
  );
  return (
    <Section title={t('Checklist')} lead={t('From your data to lists on your site.')} actions={hide}>
      {steps.map(({ title, isDone, detail, to: path, label, area }) => {
        const Mark = isDone ? CircleCheck : Square;
        return (
          <Group key={title} gap="sm" py={6} wrap="nowrap">
            <Mark
              size={18}
              color={isDone ? 'var(--up)' : 'var(--quiet)'}
              role="img"
              aria-label={isDone ? t('Done') : t('Not done')}
              style={{ flexShrink: 0 }}
            />
            <div style={{ flex: 1, minWidth: 0 }}>
              <Text size="sm" fw={500}>
                {title}
              </Text>
              <Hint>{detail}</Hint>
            </div>
            {can(area) && (
              <Button component={Link} href={pathTo(path)} size="xs">
                {label}
              </Button>
            )}
          </Group>
        );
      })}
    </Section>
  );
}
