import { Badge, Group, Paper, Skeleton, Text, Title } from '@mantine/core';
import { lazy, Suspense, useMemo } from 'react';
import { formatCount } from '../kit/format.ts';
import { binned, daySeconds, hourSeconds, useEndOfHour, useMetricResults } from '../metrics/queries.ts';
import { text } from './text.ts';

const TimeChart = lazy(() => import('../kit/time-chart.tsx'));

const weekSeconds = 7 * daySeconds;
const refreshMs = 4_000;

/** What arrives, by the hour; the last one grows while one looks. */
export function ActivityChart() {
  const to = useEndOfHour();
  const from = to - weekSeconds;
  const { data } = useMetricResults({ metrics: ['events'], from: from - weekSeconds, to, refreshMs });
  const chart = useMemo(() => {
    if (!data) return undefined;
    const now = binned(data.results, 'events', { from, to }, hourSeconds);
    const before = binned(data.results, 'events', { from: from - weekSeconds, to: from }, hourSeconds);
    return {
      times: now.map((_, place) => from + place * hourSeconds),
      series: [
        { label: text.thisWeek, values: now },
        { label: text.lastWeek, values: before, isDashed: true, color: 8 },
      ],
      thisHour: now[now.length - 1],
    };
  }, [data, from, to]);
  return (
    <Paper p="md" component="section" aria-label={text.activity} miw={0}>
      <Group justify="space-between" mb={4}>
        <Title order={2}>{text.activity}</Title>
        {chart && (
          <Badge variant="light" color="gray" tt="none" aria-live="off">
            {text.live(formatCount(chart.thisHour))}
          </Badge>
        )}
      </Group>
      <Text size="xs" className="quiet" mb="sm">
        {text.activityLead}
      </Text>
      <Suspense fallback={<Skeleton h={260} />}>
        {chart ? <TimeChart label={text.activity} format={formatCount} {...chart} /> : <Skeleton h={260} />}
      </Suspense>
    </Paper>
  );
}
