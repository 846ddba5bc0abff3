import { Group, Paper, SimpleGrid, Skeleton, Text, Tooltip } from '@mantine/core';
import { formatChange, formatCount, formatMoney, formatShare } from '../kit/format.ts';
import { ArrowDownRight, ArrowUpRight } from '../kit/icons.ts';
import { metricLabel } from '../kit/metrics.ts';
import { ErrorNotice, Hint } from '../kit/page.tsx';
import { Sparkline } from '../kit/sparkline.tsx';
import { binned, sumOf, useEndOfHour, useMetricResults } from '../metrics/queries.ts';
import { daySeconds } from '../metrics/view.ts';
import { useConsole } from '../service/console-context.ts';
import { t } from '../texts/texts.ts';

const weekSeconds = 7 * daySeconds;

type Measure = {
  /** Metrics that it counts; a rate is the first over the second. */
  metrics: [string] | [string, string];
  /** Label of a rate [its metric's]. */
  label?: string;
  format(value: number, currency: string): string;
  /** Less is better. */
  isBad?: boolean;
};

/** By importance; measures without data come last. */
const measures: Measure[] = [
  { metrics: ['impressions'], format: formatCount },
  { metrics: ['clicks', 'impressions'], label: t('Click-through rate'), format: formatShare },
  { metrics: ['attributed_purchased_items'], format: formatCount },
  { metrics: ['attributed_revenue'], format: formatMoney },
  { metrics: ['search_requests'], format: formatCount },
  { metrics: ['pageviews'], format: formatCount },
  { metrics: ['add_to_carts'], format: formatCount },
  { metrics: ['purchased_items'], format: formatCount },
  { metrics: ['revenue'], format: formatMoney },
  { metrics: ['item_interactions'], format: formatCount },
  {
    metrics: ['searches_without_results', 'search_requests'],
    label: t('No-result rate'),
    format: formatShare,
    isBad: true,
  },
];

const shownCount = 6;
const metrics = [...new Set(measures.flatMap((measure) => measure.metrics))];

const ratioOf = (sum: number, whole: number | undefined): number =>
  whole === undefined ? sum : whole === 0 ? 0 : sum / whole;

const title = t('Last 7 days compared with the previous 7');

export function WeekTiles() {
  const to = useEndOfHour();
  const now = { from: to - weekSeconds, to };
  const before = { from: to - 2 * weekSeconds, to: to - weekSeconds };
  const { data, error, refetch } = useMetricResults({ metrics, from: before.from, to });
  if (error) return <ErrorNotice error={error} onRetry={refetch} />;
  const counted = new Set(data?.results.map(({ metric }) => metric));
  const hasData = (measure: Measure) => counted.has(measure.metrics[0]);
  const shown = [...measures.filter(hasData), ...measures.filter((measure) => !hasData(measure))];
  return (
    <section aria-label={title}>
      <Hint mb={6}>{title}</Hint>
      <SimpleGrid cols={{ base: 2, sm: 3, lg: 6 }} spacing="sm">
        {shown.slice(0, shownCount).map((measure) => {
          const [metric, whole] = measure.metrics;
          if (!data) return <Skeleton key={metric + whole} h={118} radius="lg" />;
          const valueIn = (interval: typeof now) =>
            ratioOf(
              sumOf(data.results, metric, interval),
              whole === undefined ? undefined : sumOf(data.results, whole, interval),
            );
          const days = binned(data.results, metric, now, daySeconds);
          const wholes = whole === undefined ? undefined : binned(data.results, whole, now, daySeconds);
          return (
            <Tile
              key={metric + whole}
              measure={measure}
              value={valueIn(now)}
              before={valueIn(before)}
              daily={days.map((sum, day) => ratioOf(sum, wholes?.[day]))}
            />
          );
        })}
      </SimpleGrid>
    </section>
  );
}

type TileProps = { measure: Measure; value: number; before: number; daily: number[] };

function Tile({ measure, value, before, daily }: TileProps) {
  const { environment } = useConsole();
  return (
    <Paper p="sm" style={{ display: 'flex', flexDirection: 'column' }}>
      <Hint className="clamp-2" mih="2.6em" lh={1.3}>
        {measure.label ?? metricLabel(measure.metrics[0])}
      </Hint>
      <Text fz={22} fw={600} lh={1.2} mt={4} className="numbers">
        {measure.format(value, environment.currency)}
      </Text>
      <Group h={22} align="center">
        <Change value={value} before={before} measure={measure} />
      </Group>
      <Sparkline values={daily} height={26} />
    </Paper>
  );
}

function Change({ value, before, measure }: Omit<TileProps, 'daily'>) {
  const { environment } = useConsole();
  const change = before === 0 ? 0 : value / before - 1;
  if (Math.abs(change) < 0.0005) return null;
  const isGood = change > 0 !== Boolean(measure.isBad);
  const Arrow = change > 0 ? ArrowUpRight : ArrowDownRight;
  return (
    <Tooltip label={t('Previous 7 days: {value}', { value: measure.format(before, environment.currency) })}>
      <Text
        component="span"
        size="xs"
        fw={500}
        c={isGood ? 'var(--up)' : 'var(--down)'}
        style={{ whiteSpace: 'nowrap' }}
        className="numbers"
      >
        <Arrow size={13} style={{ verticalAlign: '-2px' }} />
        {formatChange(change)}
      </Text>
    </Tooltip>
  );
}
