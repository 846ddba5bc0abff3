import { Badge, Skeleton } from '@mantine/core';
import { lazy, Suspense, useMemo } from 'react';
import { greyIndex } from '../kit/colors.ts';
import { formatCount } from '../kit/format.ts';
import { Section } from '../kit/page.tsx';
import { daySeconds, hourSeconds } from '../metrics/hours.ts';
import { binned, useEndOfHour, useMetricResults } from '../metrics/queries.ts';
import { t } from '../texts/texts.ts';

const TimeChart = lazy(() => import('../kit/time-chart.tsx'));

const weekSeconds = 7 * daySeconds;
const refreshMs = 4_000;
const title = t('Events per hour');

/** Incoming events per hour; the current hour grows. */
export function ActivityChart() {
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
