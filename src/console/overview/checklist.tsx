import { Button, Group, Text } from '@mantine/core';
import { Link } from 'wouter';
import { formatCounted } from '../kit/format.ts';
import { CircleCheck, Square } from '../kit/icons.ts';
import { Hint, Section } from '../kit/page.tsx';
import { usePreference } from '../kit/preferences.ts';
import { daySeconds } from '../metrics/hours.ts';
import { sumOf, useEndOfHour, useMetricResults } from '../metrics/queries.ts';
import { useConsole } from '../service/console-context.ts';
import { t } from '../texts/texts.ts';

const lookBackDays = 28;
const metrics = ['events', 'recommendation_sets', 'impressions'];

type Step = { title: string; isDone: boolean; detail: string; to: string; label: string; area: string };

/** Steps from an empty environment to lists on a site, with what is done. Can be hidden once all is done. */
export function Checklist() {
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
              <Button component={Link} href={pathTo(path)} variant="default" size="xs">
                {label}
              </Button>
            )}
          </Group>
        );
      })}
    </Section>
  );
}
