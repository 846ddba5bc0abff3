/** Tables of metrics by item, query or placement: the period, the figures and their export. */

import { createClient } from '@connectrpc/connect';
import { Box, Button, Group, Select } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type {
  MetricDefinition,
  MetricFigure,
  PerformanceRow,
} from '../../../gen/es/personalisation/v1/performance_pb.js';
import {
  type ListPerformanceResponse,
  PerformanceService,
} from '../../../gen/es/personalisation/v1/performance_service_pb.js';
import { csvRow } from '../../formats/records/csv.ts';
import { dayMs, localDayOf } from '../../ranking/runtime/time-zones.ts';
import { useConsole } from '../service/console-context.ts';
import { type Text, t } from '../texts/texts.ts';
import { SwitchField, TextField } from './fields.tsx';
import { saveText } from './files.ts';
import { formatChange, formatCount, formatMoney, formatNumber, formatShare } from './format.ts';
import { Download } from './icons.ts';
import { Hint } from './page.tsx';
import type { Column } from './table.tsx';

export type PeriodKey = 'range' | 'from' | 'to' | 'compare' | 'intervals';
type PeriodValues = Partial<Record<PeriodKey, string>>;

/** Days `YYYY-MM-DD`, inclusive. */
export type Period = { firstDay: string; lastDay: string; compare: boolean; showsIntervals: boolean };

const ranges: Record<string, { label: string; days: number }> = {
  '1d': { label: t('Today'), days: 1 },
  '7d': { label: t('Last 7 days'), days: 7 },
  '28d': { label: t('Last 28 days'), days: 28 },
  '90d': { label: t('Last 90 days'), days: 90 },
  '365d': { label: t('Last year'), days: 365 },
};
const usualRange = '28d';
const mostDays = 401;

const textOf = (day: number) => new Date(day * dayMs).toISOString().slice(0, 10);
const isDay = (text = '') => /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text));

/** Reads the period in the address; custom days apply if both are valid. */
export function readPeriod(values: PeriodValues, timeZone: string): Period {
  const shown = { compare: values.compare === '1', showsIntervals: values.intervals === '1' };
  const { from, to } = values;
  const span = isDay(from) && isDay(to) ? (Date.parse(to!) - Date.parse(from!)) / dayMs : -1;
  if (span >= 0 && span < mostDays) return { firstDay: from!, lastDay: to!, ...shown };
  const today = localDayOf(Date.now(), timeZone);
  const { days } = ranges[values.range ?? ''] ?? ranges[usualRange];
  return { firstDay: textOf(today - days + 1), lastDay: textOf(today), ...shown };
}

type PeriodFieldsProps = { period: Period; values: PeriodValues; onChange(values: PeriodValues): void };

/** Time range, or first and last day, and what stands beside each figure. */
export function PeriodFields({ period, values, onChange }: PeriodFieldsProps) {
  const isCustom = Boolean(values.from || values.to);
  const custom = { from: values.from ?? period.firstDay, to: values.to ?? period.lastDay };
  const isShown = custom.from === period.firstDay && custom.to === period.lastDay;
  const day = (key: 'from' | 'to', label: string, shown: string) => (
    <TextField
      type="date"
      label={label}
      value={values[key] ?? shown}
      error={key === 'to' && !isShown && t('At most 401 days, in order')}
      onChange={(text) => onChange({ ...custom, [key]: text })}
      flex="1 1 130px"
    />
  );
  return (
    <>
      <Select
        label={t('Time range')}
        data={[
          ...Object.entries(ranges).map(([value, { label }]) => ({ value, label })),
          ...(isCustom ? [{ value: 'custom', label: t('Custom') }] : []),
        ]}
        value={isCustom ? 'custom' : (values.range ?? usualRange)}
        onChange={(range) => range && range !== 'custom' && onChange({ range, from: '', to: '' })}
        flex="1 1 140px"
      />
      {day('from', t('First day'), period.firstDay)}
      {day('to', t('Last day'), period.lastDay)}
      <SwitchField
        label={t('Compare with previous period')}
        checked={period.compare}
        onChange={(isOn) => onChange({ compare: isOn ? '1' : '' })}
        mb={8}
      />
      <SwitchField
        label={t('Show intervals')}
        checked={period.showsIntervals}
        onChange={(isOn) => onChange({ intervals: isOn ? '1' : '' })}
        mb={8}
      />
    </>
  );
}

type PerformanceQuestion = Pick<Period, 'firstDay' | 'lastDay' | 'compare'> & {
  dimension: string;
  orderBy?: string;
  text?: string;
  problem?: string;
  limit: number;
};

export function usePerformance(question: PerformanceQuestion, isEnabled = true) {
  const { environment, connection } = useConsole();
  const request = { environment: environment.name, ...question };
  return useQuery({
    queryKey: ['performance', request],
    enabled: isEnabled,
    queryFn: () => createClient(PerformanceService, connection.transport).listPerformance(request),
    placeholderData: (previous, query) => {
      const [, before] = (query?.queryKey ?? []) as [string?, typeof request?];
      return before?.dimension === question.dimension ? keepPreviousData(previous) : undefined;
    },
  });
}

/** The service's label of a metric, in the reader's language. */
export const nameOf = ({ label }: MetricDefinition): string => t(label as Text);

function formatFigure({ unit }: MetricDefinition, value: number, currency: string): string {
  if (unit === 'share') return formatShare(value);
  if (unit === 'money') return formatMoney(value, currency);
  return unit === 'count' ? formatCount(value) : formatNumber(value);
}

type FigureProps = {
  metric: MetricDefinition;
  figure?: MetricFigure;
  previous?: MetricFigure;
  showsInterval?: boolean;
};

/** A value; below it its change from the previous period, its fraction and its interval. */
export function Figure({ metric, figure, previous, showsInterval }: FigureProps) {
  const { currency } = useConsole().environment;
  if (figure?.value === undefined) return <>–</>;
  const format = (value: number) => formatFigure(metric, value, currency);
  const { value, interval, part, whole } = figure;
  const before = previous?.value;
  return (
    <>
      {format(value)}
      {before !== undefined && (
        <Hint>
          {before !== 0 && `${formatChange(value / before - 1)} `}
          {t('from {value}', { value: format(before) })}
        </Hint>
      )}
      {showsInterval && part !== undefined && (
        <Hint>
          {formatNumber(part)} / {formatNumber(whole!)}
        </Hint>
      )}
      {showsInterval && interval && (
        <Hint>{t('{low} to {high}', { low: format(interval.low), high: format(interval.high) })}</Hint>
      )}
    </>
  );
}

/** Columns of the metrics; narrow windows show `first` of them. */
export function figureColumns(
  metrics: readonly MetricDefinition[],
  { showsIntervals }: Pick<Period, 'showsIntervals'>,
  first = 2,
): Column<PerformanceRow>[] {
  return metrics.map((metric, place) => ({
    label: nameOf(metric),
    isNumber: true,
    from: place < first ? undefined : place < first + 2 ? 'sm' : 'md',
    cell: ({ figures, previousFigures }) => (
      <Figure
        metric={metric}
        figure={figures[place]}
        previous={previousFigures[place]}
        showsInterval={showsIntervals}
      />
    ),
  }));
}

/** CSV of an answer: each metric with its interval, the previous value and the change in percent. */
export function csvOfPerformance(label: string, { metrics, rows }: ListPerformanceResponse): string {
  const isCompared = rows.some(({ previousFigures }) => previousFigures.length > 0);
  const heads = metrics.flatMap((metric) => {
    const named = { label: nameOf(metric) };
    return [
      named.label,
      ...(metric.unit === 'share' ? [t('{label}, low', named), t('{label}, high', named)] : []),
      ...(isCompared ? [t('{label}, previous period', named), t('{label}, change in %', named)] : []),
    ];
  });
  const lines = rows.map(({ value, itemType, title, figures, previousFigures }) => [
    ...[value, itemType, title],
    ...metrics.flatMap(({ unit }, place) => {
      const now = figures[place];
      const before = previousFigures[place]?.value;
      const change = now.value === undefined || !before ? undefined : 100 * (now.value / before - 1);
      return [
        now.value,
        ...(unit === 'share' ? [now.interval?.low, now.interval?.high] : []),
        ...(isCompared ? [before, change] : []),
      ];
    }),
  ]);
  return [[label, t('item type'), t('title'), ...heads], ...lines].map(csvRow).join('\r\n');
}

export function ExportButton({ name, csv }: { name: string; csv(): string }) {
  const icon = <Download size={15} />;
  return (
    <Button leftSection={icon} onClick={() => saveText(`${name}.csv`, csv())}>
      {t('Export')}
    </Button>
  );
}

/** Fields of a table, wrapped in narrow windows. */
export const FieldRow = ({ children }: { children: ReactNode }) => (
  <Box role="group" aria-label={t('Filters')} mb="lg">
    <Group align="flex-end" gap="sm">
      {children}
    </Group>
  </Box>
);
