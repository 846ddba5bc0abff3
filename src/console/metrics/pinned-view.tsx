/** A saved view in small: a chart, or the first rows of a table. */

import { useMemo } from 'react';
import type { SavedView } from '../../../gen/es/personalisation/v1/view_service_pb.js';
import { ErrorNotice, Hint, Loading } from '../kit/page.tsx';
import { figureColumns } from '../kit/performance.tsx';
import { DataTable } from '../kit/table.tsx';
import TimeChart from '../kit/time-chart.tsx';
import { useConsole } from '../service/console-context.ts';
import { t } from '../texts/texts.ts';
import { useTable, Value } from './performance.tsx';
import { useChart } from './queries.ts';
import { readView } from './view.ts';

const [height, mostRows, mostFigures] = [200, 5, 3];

type Values = Record<string, string>;

export default function PinnedView({ view: { title, query } }: { view: SavedView }) {
  const values = useMemo(() => Object.fromEntries(new URLSearchParams(query)), [query]);
  if (values.view === 'performance') return <SmallTable values={values} title={title} />;
  return <SmallChart values={values} title={title} />;
}

type PartProps = { values: Values; title: string };

function SmallChart({ values, title }: PartProps) {
  const { timeZone } = useConsole().environment;
  const view = useMemo(() => readView(values, timeZone), [values, timeZone]);
  const { chart, error, refetch } = useChart(view);
  if (error) return <ErrorNotice error={error} onRetry={refetch} />;
  if (!chart) return <Loading h={height} />;
  if (chart.isEmpty) return <Hint>{t('No data')}</Hint>;
  return <TimeChart label={title} height={height} {...chart} />;
}

function SmallTable({ values, title }: PartProps) {
  const { data, error, refetch, period, dimension, label } = useTable(values, mostRows);
  if (error) return <ErrorNotice error={error} onRetry={refetch} />;
  if (!data) return <Loading h={height} />;
  if (data.rows.length === 0) return <Hint>{t('No data')}</Hint>;
  const columns = figureColumns(data.metrics, period, data.metrics.length);
  const sorted = data.metrics.findIndex(({ name }) => name === values.sort);
  /** The metric that sorts comes first. */
  const figures = columns.toSorted((a, b) => Number(b === columns[sorted]) - Number(a === columns[sorted]));
  return (
    <DataTable
      aria-label={title}
      rows={data.rows}
      keyOf={({ itemType, value }) => `${itemType} ${value}`}
      columns={[
        { label, cell: (row) => <Value row={row} dimension={dimension} label={label} /> },
        ...figures.slice(0, mostFigures),
      ]}
    />
  );
}
