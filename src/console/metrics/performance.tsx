import { Box, Group, Paper, Select, SimpleGrid, Text } from '@mantine/core';
import type {
  MetricDefinition,
  MetricFigure,
  PerformanceRow,
} from '../../../gen/es/personalisation/v1/performance_pb.js';
import {
  type ListPerformanceResponse,
  PerformanceService,
} from '../../../gen/es/personalisation/v1/performance_service_pb.js';
import { Choice, LateInput, optionsOf } from '../kit/fields.tsx';
import { formatCounted, formatShare } from '../kit/format.ts';
import { ChartLine } from '../kit/icons.ts';
import { itemPath } from '../kit/item-names.ts';
import { Empty, ErrorNotice, Heading, Hint, Loading, RowLink } from '../kit/page.tsx';
import {
  csvOfPerformance,
  ExportButton,
  FieldRow,
  Figure,
  figureColumns,
  nameOf,
  type Period,
  PeriodFields,
  type PeriodKey,
  readPeriod,
  usePerformance,
} from '../kit/performance.tsx';
import { useRead } from '../kit/queries.ts';
import { DataTable, TablePaper } from '../kit/table.tsx';
import { useAddress } from '../service/address.ts';
import { useConsole } from '../service/console-context.ts';
import { t } from '../texts/texts.ts';
import { dimensionsWith, labelOfProperty } from './series.ts';

const mostRows = 200;

const ofLists: Record<string, string> = {
  query: t('Query'),
  rank: t('Position in the list'),
  row: t('Row of a page'),
};

type Key = PeriodKey | 'dimension' | 'sort' | 'order' | 'text';

type Values = Partial<Record<Key, string>>;

/** The table of an address, and how it is asked for. */
export function useTable(values: Values, limit: number) {
  const { environment } = useConsole();
  const period = readPeriod(values, environment.timeZone);
  const { dimension = 'item', sort = '', order = 'desc', text = '' } = values;
  const question = { ...period, dimension, text, limit };
  const { data, error, refetch } = usePerformance({ ...question, orderBy: sort && `${sort} ${order}` });
  const names = useDimensions();
  const label = names[dimension] ?? dimension;
  return { data, error, refetch, period, dimension, sort, order, text, names, label };
}

/** Visitors of the period, and a table of a dimension, best or worst first. */
export function Performance() {
  const { values, set } = useAddress<Key>();
  const table = useTable(values, mostRows);
  const { data, error, refetch, period, dimension, sort, order, text, names, label } = table;
  return (
    <>
      <FieldRow>
        <Select
          label={t('Performance of')}
          data={optionsOf(names)}
          value={dimension}
          onChange={(next) => set({ dimension: next ?? '', sort: '' }, true)}
          searchable
          flex="1 1 150px"
        />
        <PeriodFields period={period} values={values} onChange={set} />
      </FieldRow>
      <Visitors period={period} />
      <section aria-label={label}>
        <Group align="flex-end" gap="sm" mb="sm" mt="xl">
          <LateInput
            label={t('Search')}
            placeholder={dimension === 'item' ? t('Title or ID') : label}
            value={text}
            onChange={(next) => set({ text: next })}
            flex="2 1 180px"
          />
          <Select
            label={t('Sort by')}
            data={data?.metrics.map((metric) => ({ value: metric.name, label: nameOf(metric) })) ?? []}
            value={sort || (data?.metrics[0].name ?? null)}
            onChange={(next) => set({ sort: next ?? '' })}
            flex="1 1 150px"
          />
          <Choice
            aria-label={t('Order')}
            labels={{ desc: t('Top'), asc: t('Bottom') }}
            value={order === 'asc' ? 'asc' : 'desc'}
            onChange={(next) => set({ order: next, sort: sort || (data?.metrics[0].name ?? '') })}
          />
          {data && (
            <ExportButton name={`performance-${dimension}`} csv={() => csvOfPerformance(label, data)} />
          )}
        </Group>
        {error && <ErrorNotice error={error} onRetry={refetch} />}
        {!data && !error && <Loading h={300} />}
        {data?.rows.length === 0 && (
          <TablePaper>
            <Empty icon={ChartLine} title={t('No data')}>
              {text
                ? t('Search for another text, or choose a longer time range.')
                : t('Choose a longer time range.')}{' '}
              {t('Impressions and clicks of your site appear here after some seconds.')}
            </Empty>
          </TablePaper>
        )}
        {data && data.rows.length > 0 && <Rows {...{ data, dimension, label, period }} />}
      </section>
    </>
  );
}

type RowsProps = { data: ListPerformanceResponse; dimension: string; label: string; period: Period };

function Rows({ data, dimension, label, period }: RowsProps) {
  const { metrics, rows, summary, summaryMetrics, totalSize, rest } = data;
  const counted = formatCounted(totalSize, 'row');
  return (
    <>
      <TablePaper>
        <DataTable
          highlightOnHover
          rows={[summary!, ...rows]}
          keyOf={({ itemType, value }, place) => `${place} ${itemType} ${value}`}
          columns={[
            {
              label,
              cell: (row, place) =>
                place === 0 ? <b>{t('All')}</b> : <Value row={row} dimension={dimension} label={label} />,
            },
            ...figureColumns(metrics, period),
          ]}
        />
      </TablePaper>
      <Hint mt="xs">
        {totalSize > rows.length
          ? t('{rows}, of which {count} are shown.', { rows: counted, count: rows.length })
          : `${counted}.`}{' '}
        {t('Impressions and clicks of lists, searches and batches.')}
        {rest && ` ${t('“All” includes rare values without a row of their own.')}`}
      </Hint>
      <Summary metrics={summaryMetrics} row={summary!} period={period} offset={metrics.length} />
    </>
  );
}

/** Dimensions with their names: placements, searches, and declared properties of items. */
function useDimensions(): Record<string, string> {
  const { environment } = useConsole();
  const keys = environment.itemTypes
    .flatMap(({ properties }) => properties)
    .filter(({ type }) => type === 'string' || type === 'string[]' || type === 'boolean')
    .map(({ name }) => [name, labelOfProperty(name)]);
  return {
    item: t('Item'),
    categories: t('Category'),
    ...Object.fromEntries(keys),
    ...ofLists,
    ...dimensionsWith(environment.metricSegments),
  };
}

export function Value({ row, dimension, label }: { row: PerformanceRow; dimension: string; label: string }) {
  const { value, itemType, title } = row;
  if (value === '') return <span className="quiet">{t('{label} (none)', { label })}</span>;
  if (dimension === 'configuration')
    return <RowLink to={`configurations/${encodeURIComponent(value)}`}>{value}</RowLink>;
  /** Unknown items have no page. */
  if (dimension !== 'item' || title === undefined) return <bdi>{value}</bdi>;
  return <RowLink to={itemPath({ itemType, itemId: value })}>{title || value}</RowLink>;
}

type SummaryProps = { metrics: MetricDefinition[]; row: PerformanceRow; period: Period; offset: number };

/** Metrics of the summary that rows do not have, from `offset` on. */
function Summary({ metrics, row, period, offset }: SummaryProps) {
  if (metrics.length === offset) return null;
  return (
    <Box mt="lg">
      <Tiles
        metrics={metrics.slice(offset)}
        figures={row.figures.slice(offset)}
        previous={row.previousFigures.slice(offset)}
        showsInterval={period.showsIntervals}
      />
    </Box>
  );
}

type TilesProps = {
  metrics: MetricDefinition[];
  figures: MetricFigure[];
  previous?: (MetricFigure | undefined)[];
  showsInterval: boolean;
};

const Tiles = ({ metrics, figures, previous = [], showsInterval }: TilesProps) => (
  <SimpleGrid cols={{ base: 2, sm: 3, lg: 5 }}>
    {metrics.map((metric, place) => (
      <Paper key={metric.name} p="md" miw={0}>
        <Text size="sm" className="quiet">
          {nameOf(metric)}
        </Text>
        <Text fz={20} fw={600} className="numbers" component="div">
          <Figure
            metric={metric}
            figure={figures[place]}
            previous={previous[place]}
            showsInterval={showsInterval}
          />
        </Text>
      </Paper>
    ))}
  </SimpleGrid>
);

function Visitors({ period }: { period: Period }) {
  const { firstDay, lastDay, showsIntervals } = period;
  const before = previousDays(period);
  const method = PerformanceService.method.listVisitorMetrics;
  const { data, error, refetch } = useRead(method, { firstDay, lastDay });
  const earlier = useRead(method, before, { enabled: period.compare });
  if (error) return <ErrorNotice error={error} onRetry={refetch} />;
  if (!data) return <Loading h={160} />;
  const [now] = data.periods;
  const share = data.sampledShare;
  return (
    <section aria-label={t('Visitors')}>
      <Heading
        title={t('Visitors')}
        lead={[
          t(
            'Devices, each counted once. A session ends after an hour without an event; an order is a session with a purchase.',
          ),
          share < 1 && t('Estimated from {share} of the visitors.', { share: formatShare(share) }),
        ]
          .filter(Boolean)
          .join(' ')}
      />
      {now ? (
        <Tiles
          metrics={data.metrics}
          figures={now.figures}
          previous={period.compare ? earlier.data?.periods[0]?.figures : undefined}
          showsInterval={showsIntervals}
        />
      ) : (
        <Hint>{t('No visitors in this period.')}</Hint>
      )}
    </section>
  );
}

const dayMs = 86_400_000;

function previousDays({ firstDay, lastDay }: Period) {
  const [first, last] = [Date.parse(firstDay), Date.parse(lastDay)];
  const textOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);
  return { firstDay: textOf(2 * first - last - dayMs), lastDay: textOf(first - dayMs) };
}
