import { Box, Button, Group, Menu, Paper, Select, Skeleton } from '@mantine/core';
import { lazy, Suspense, useCallback, useMemo } from 'react';
import { seriesColorVariable } from '../kit/colors.ts';
import { SwitchField, ViewSwitch } from '../kit/fields.tsx';
import { copyText, saveText } from '../kit/files.ts';
import { formatChange, formatCount, formatMoment } from '../kit/format.ts';
import { ChartLine, Download } from '../kit/icons.ts';
import { metricLabel, metricNames } from '../kit/metrics.ts';
import { Empty, ErrorNotice, Hint, Loading, PageFrame } from '../kit/page.tsx';
import { type Column, DataTable, TablePaper } from '../kit/table.tsx';
import { useAddress } from '../service/address.ts';
import { useConsole } from '../service/console-context.ts';
import { settings } from '../service/settings.ts';
import { t } from '../texts/texts.ts';
import { changeOf, csvOf } from './export.ts';
import { Performance } from './performance.tsx';
import { useChart } from './queries.ts';
import { SavedViews } from './saved-views.tsx';
import { type Chart, dimensionsWith, type Parts, type Row, sumsOf, total, valuesOf } from './series.ts';
import { hourSeconds, hourText, isDistinct, ranges, readView, type View, type ViewKey } from './view.ts';

const TimeChart = lazy(() => import('../kit/time-chart.tsx'));

const views = { time: t('Over time'), performance: t('Performance') };

const perHour = t('Counted per hour: a visitor of two hours counts in both, so days and weeks add up hours.');

export function Page() {
  const isPerformance = useAddress<'view'>().values.view === 'performance';
  return isPerformance ? (
    <PageFrame
      title={t('Metrics')}
      lead={t('Visitors, and the performance of items, searches and placements.')}
      isWide
      actions={<SavedViews />}
    >
      <ViewSwitch views={views} />
      <Performance />
    </PageFrame>
  ) : (
    <OverTime />
  );
}

/** One metric over time: split by a dimension, compared, zoomed and exported. */
function OverTime() {
  const { values, set } = useAddress<ViewKey>();
  const { timeZone } = useConsole().environment;
  const view = useMemo(() => readView(values, timeZone), [values, timeZone]);
  const { metric, from, to } = view;
  const { chart, error, refetch } = useChart(view);
  const zoom = useCallback(
    (start: number, end: number) => {
      const hour = (seconds: number) => Math.round(seconds / hourSeconds) * hourSeconds;
      const last = Math.max(hour(end), hour(start) + 2 * hourSeconds);
      set({ from: String(hour(start)), to: String(last) }, true);
    },
    [set],
  );
  return (
    <PageFrame
      title={t('Metrics')}
      lead={t(
        'Any metric by any dimension over time. Times and days are those of the time zone {timeZone}.',
        { timeZone },
      )}
      actions={
        <>
          <SavedViews />
          {chart && <Exports view={view} csv={() => csvOf(chart)} />}
        </>
      }
    >
      <ViewSwitch views={views} />
      <Fields view={view} onChange={set} />
      {isDistinct(metric) && <Hint mt="xs">{perHour}</Hint>}
      {error && <ErrorNotice error={error} onRetry={refetch} />}
      {!chart && !error && <Loading h={320} mt="lg" />}
      {chart?.isEmpty && (
        <Empty icon={ChartLine} title={t('No data')}>
          {t('Choose another metric or a longer time range.')}
        </Empty>
      )}
      {chart && !chart.isEmpty && (
        <>
          <Paper p="md" mt="lg" miw={0}>
            <Group justify="space-between" mb="xs">
              <Hint>
                {[from, to].map((seconds) => formatMoment(new Date(seconds * 1_000), timeZone)).join(' – ')}
              </Hint>
              {values.from ? (
                <Button size="compact-xs" onClick={() => set({ from: '', to: '' })}>
                  {t('Reset zoom')}
                </Button>
              ) : (
                <Hint>{t('Drag to zoom')}</Hint>
              )}
            </Group>
            <Suspense fallback={<Skeleton h={320} />}>
              <TimeChart
                label={t('{metric} over time', { metric: metricLabel(metric) })}
                height={320}
                {...chart}
                onZoom={zoom}
              />
            </Suspense>
          </Paper>
          <Box mt="lg">
            <FigureTable chart={chart} />
          </Box>
        </>
      )}
    </PageFrame>
  );
}

type FieldsProps = { view: View; onChange(values: Partial<Record<ViewKey, string>>): void };

function Fields({ view, onChange }: FieldsProps) {
  const { metricSegments } = useConsole().environment;
  const dimensions = dimensionsWith(isDistinct(view.metric) ? [] : metricSegments);
  const select = (
    key: 'metric' | 'by' | 'range' | 'step',
    label: string,
    data: [string, string][],
    flex: string,
  ) => (
    <Select
      label={label}
      data={data.map(([value, name]) => ({ value, label: name }))}
      value={view[key]}
      onChange={(value) => onChange({ [key]: value ?? '', ...(key === 'range' && { from: '', to: '' }) })}
      searchable={key === 'metric'}
      flex={flex}
    />
  );
  const ofRanges = Object.entries(ranges).map(([value, { label }]): [string, string] => [value, label]);
  const steps: [string, string][] = [
    ['hour', t('Hours')],
    ['day', t('Days')],
    ['week', t('Weeks')],
  ];
  return (
    <Group align="flex-end" gap="sm">
      {select(
        'metric',
        t('Metric'),
        metricNames.map((name) => [name, metricLabel(name)]),
        '2 1 200px',
      )}
      {select('by', t('Split by'), [['', t('None')], ...Object.entries(dimensions)], '1 1 130px')}
      {select('range', t('Time range'), ofRanges, '1 1 130px')}
      {select('step', t('Granularity'), steps, '1 1 100px')}
      <SwitchField
        label={t('Compare with previous period')}
        checked={view.isCompared}
        onChange={(isOn) => onChange({ compare: isOn ? '1' : '' })}
        mb={8}
      />
    </Group>
  );
}

type ExportsProps = { view: View; csv(): string };

/** The chart as a file, and its query. */
function Exports({ view: { metric: name, from, to, step }, csv }: ExportsProps) {
  const { environment } = useConsole();
  const byDay = step === 'day' && !isDistinct(name) ? '&step=day' : '';
  const query = `${location.origin}${settings.basePath}/metrics/${name}?environment=${environment.name}&start_time[gte]=${hourText(from)}&start_time[lt]=${hourText(to)}${byDay}&limit=10000`;
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button leftSection={<Download size={15} />}>{t('Export')}</Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => saveText(`${name}.csv`, csv())}>{t('Export as CSV')}</Menu.Item>
        <Menu.Item onClick={() => void copyText(query)}>{t('Copy query URL')}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

/** Columns of the previous period, and of the change from it. */
function comparison({ format, formatDifference, partLabels }: Chart): Column<Row>[] {
  const change = ({ parts, earlier }: Row) => earlier && changeOf(total(parts), total(earlier));
  return [
    {
      label: t('Previous period'),
      isNumber: true,
      cell: ({ earlier }) => earlier && <Total parts={earlier} {...{ format, partLabels }} />,
    },
    { label: t('Difference'), isNumber: true, cell: (row) => formatDifference(change(row)?.difference ?? 0) },
    {
      label: t('Change'),
      isNumber: true,
      cell: (row) => {
        const share = change(row)?.share;
        return share === undefined ? '–' : formatChange(share);
      },
    },
  ];
}

type TotalProps = Pick<Chart, 'format' | 'partLabels'> & { parts: Parts };

/** Total of a series; that of a rate with numerator and denominator. */
function Total({ parts, format, partLabels }: TotalProps) {
  return (
    <>
      {format(total(parts))}
      {partLabels.length > 0 && <Hint>{sumsOf(parts).map(formatCount).join(' / ')}</Hint>}
    </>
  );
}

/** The series as numbers: total, comparison, peak and minimum of the steps. */
function FigureTable({ chart }: { chart: Chart }) {
  const { format, partLabels, rows } = chart;
  const figure = ({ parts }: Row, pick: (...values: number[]) => number) => {
    const known = valuesOf(parts).filter((value) => value !== null);
    return known.length > 0 ? format(pick(...known)) : '–';
  };
  return (
    <TablePaper>
      {partLabels.length > 0 && (
        <Hint px="md" pt="sm">
          {t('Below each rate: {parts}.', { parts: partLabels.join(' / ') })}
        </Hint>
      )}
      <DataTable
        rows={rows}
        keyOf={({ label }) => label}
        columns={[
          {
            label: t('Series'),
            cell: ({ label }, index) => (
              <>
                <span className="swatch" style={{ background: seriesColorVariable(index) }} />
                <bdi>{label}</bdi>
              </>
            ),
          },
          {
            label: t('Total'),
            isNumber: true,
            cell: ({ parts }) => <Total parts={parts} {...{ format, partLabels }} />,
          },
          ...(rows.some(({ earlier }) => earlier) ? comparison(chart) : []),
          { label: t('Peak'), isNumber: true, from: 'sm', cell: (row) => figure(row, Math.max) },
          { label: t('Minimum'), isNumber: true, from: 'sm', cell: (row) => figure(row, Math.min) },
        ]}
      />
    </TablePaper>
  );
}
