import { Group, Paper, SimpleGrid, Skeleton, Text, Tooltip } from '@mantine/core';
import { ArrowDownRight, ArrowUpRight } from 'lucide-react';
import { ErrorNotice } from '../kit/error-notice.tsx';
import { formatChange, formatCount, formatMoney, formatShare } from '../kit/format.ts';
import { Sparkline } from '../kit/sparkline.tsx';
import { binned, daySeconds, sumOf, useEndOfHour, useMetricResults } from '../metrics/queries.ts';
import { useConsole } from '../service/console-context.ts';
import { text } from './text.ts';

const weekSeconds = 7 * daySeconds;

type Measure = {
  label: string;
  /** Counted by these; a rate is the first over the second. */
  metrics: [string] | [string, string];
  format(value: number, currency: string): string;
  /** Less of it is better. */
  isBad?: boolean;
};

const measures: Measure[] = [
  { label: 'Recommendations shown', metrics: ['impressions'], format: formatCount },
  { label: 'Click-through rate', metrics: ['clicks', 'impressions'], format: formatShare },
  { label: 'Bought after a click', metrics: ['attributed_purchased_items'], format: formatCount },
  { label: 'Revenue after a click', metrics: ['attributed_revenue'], format: formatMoney },
  { label: 'Searches', metrics: ['search_requests'], format: formatCount },
  { label: 'Page views', metrics: ['pageviews'], format: formatCount },
  { label: 'Put into the cart', metrics: ['add_to_carts'], format: formatCount },
  { label: 'Bought', metrics: ['purchased_items'], format: formatCount },
  { label: 'Revenue', metrics: ['revenue'], format: formatMoney },
  { label: 'Likes, saves and shares', metrics: ['item_interactions'], format: formatCount },
  {
    label: 'Searches without results',
    metrics: ['searches_without_results', 'search_requests'],
    format: formatShare,
    isBad: true,
  },
];

/** In the order of what they say; those that have nothing to say give way to the next. */
const shownCount = 6;

const metrics = [...new Set(measures.flatMap((measure) => measure.metrics))];

/** What the last seven days brought, beside the seven before. */
export function WeekTiles() {
  const to = useEndOfHour();
  const now = { from: to - weekSeconds, to };
  const before = { from: to - 2 * weekSeconds, to: to - weekSeconds };
  const { data, error, refetch } = useMetricResults({ metrics, from: before.from, to });
  if (error) return <ErrorNotice error={error} onRetry={refetch} />;
  const counted = new Set(data?.results.map(({ metric }) => metric));
  const speaks = (measure: Measure) => counted.has(measure.metrics[0]);
  const shown = [...measures.filter(speaks), ...measures.filter((measure) => !speaks(measure))];
  return (
    <section aria-label={text.weekAgainst}>
      <Text size="xs" className="quiet" mb={6}>
        {text.weekAgainst}
      </Text>
      <SimpleGrid cols={{ base: 2, sm: 3, lg: 6 }} spacing="sm">
        {shown.slice(0, shownCount).map((measure) => {
          if (!data) return <Skeleton key={measure.label} h={118} radius="lg" />;
          const valueIn = (interval: typeof now) => {
            const [sum, whole] = measure.metrics.map((metric) => sumOf(data.results, metric, interval));
            return whole === undefined ? sum : whole === 0 ? 0 : sum / whole;
          };
          const days = measure.metrics.map((metric) => binned(data.results, metric, now, daySeconds));
          const shape = days[1]
            ? days[0].map((sum, i) => (days[1][i] === 0 ? 0 : sum / days[1][i]))
            : days[0];
          return (
            <Tile
              key={measure.label}
              measure={measure}
              value={valueIn(now)}
              before={valueIn(before)}
              shape={shape}
            />
          );
        })}
      </SimpleGrid>
    </section>
  );
}

type TileProps = { measure: Measure; value: number; before: number; shape: number[] };

function Tile({ measure, value, before, shape }: TileProps) {
  const { environment } = useConsole();
  return (
    <Paper p="sm" style={{ display: 'flex', flexDirection: 'column' }}>
      <Text size="xs" className="quiet clamp-2" mih="2.6em" lh={1.3}>
        {measure.label}
      </Text>
      <Text fz={22} fw={600} lh={1.2} mt={4} className="numbers">
        {measure.format(value, environment.currency)}
      </Text>
      <Group h={22} align="center">
        <Change value={value} before={before} measure={measure} />
      </Group>
      <Sparkline values={shape} height={26} />
    </Paper>
  );
}

function Change({ value, before, measure }: Omit<TileProps, 'shape'>) {
  const { environment } = useConsole();
  if (before === 0) return null;
  const change = value / before - 1;
  if (Math.abs(change) < 0.0005) return null;
  const isGood = change > 0 !== Boolean(measure.isBad);
  const Arrow = change > 0 ? ArrowUpRight : ArrowDownRight;
  return (
    <Tooltip label={`${text.lastWeek}: ${measure.format(before, environment.currency)}`}>
      <Text
        component="span"
        size="xs"
        fw={500}
        c={isGood ? 'var(--up)' : 'var(--down)'}
        style={{ whiteSpace: 'nowrap' }}
        className="numbers"
      >
        <Arrow size={13} aria-hidden style={{ verticalAlign: '-2px' }} />
        {formatChange(change)}
      </Text>
    </Tooltip>
  );
}
