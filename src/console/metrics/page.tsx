import { Box, Button, Group, Menu, Paper, Select, Skeleton, Switch, Text } from '@mantine/core';
import { ChartLine, Download } from 'lucide-react';
import { lazy, Suspense, useCallback, useMemo } from 'react';
import { copyText } from '../kit/clipboard.ts';
import { Empty } from '../kit/empty.tsx';
import { ErrorNotice } from '../kit/error-notice.tsx';
import { formatMoment } from '../kit/format.ts';
import { PageFrame } from '../kit/page.tsx';
import { saveText } from '../kit/save.ts';
import { useAddress } from '../service/address.ts';
import { useConsole } from '../service/console-context.ts';
import { settings } from '../service/settings.ts';
import { csvOf } from './export.ts';
import { FigureTable } from './figure-table.tsx';
import { hourSeconds, useMetricResults } from './queries.ts';
import { createChart, isDistinct, isRate } from './series.ts';
import { dimensions, metricNames, metricWords, text } from './text.ts';
import { ranges, readView, type ViewKey } from './view.ts';

const TimeChart = lazy(() => import('../kit/time-chart.tsx'));

/** One measure over time: split, compared, looked at closely, and taken away. */
export function Page() {
  const { values, set } = useAddress<ViewKey>();
  const { environment } = useConsole();
  const view = useMemo(() => readView(values), [values]);
  const { metric, by, from, to, isCompared } = view;
  const question = { metrics: partsOf(metric), groupBy: by ? [by] : [] };
  const now = useMetricResults({ ...question, from, to });
  const before = useMetricResults({
    ...question,
    metrics: isCompared ? question.metrics : [],
    from: from - (to - from),
    to: from,
  });
  const chart = useMemo(
    () =>
      now.data &&
      createChart(
        view,
        now.data.results,
        isCompared ? before.data?.results : undefined,
        environment.currency,
      ),
    [view, now.data, before.data, isCompared, environment],
  );
  const zoom = useCallback(
    (start: number, end: number) => {
      const hour = (seconds: number) => Math.round(seconds / hourSeconds) * hourSeconds;
      set(
        { from: String(hour(start)), to: String(Math.max(hour(end), hour(start) + 2 * hourSeconds)) },
        true,
      );
    },
    [set],
  );
  return (
    <PageFrame
      title={text.title}
      lead={text.lead}
      actions={chart && <Exports name={metric} csv={() => csvOf(chart)} from={from} to={to} />}
    >
      <Fields values={values} onChange={set} />
      {isDistinct(metric) && (
        <Text size="xs" className="quiet" mt="xs">
          {text.distinct}
        </Text>
      )}
      {now.error && <ErrorNotice error={now.error} onRetry={now.refetch} />}
      {!chart && !now.error && <Skeleton h={320} mt="lg" role="status" aria-label="Loading" />}
      {chart?.isEmpty && (
        <Empty icon={ChartLine} title={text.none}>
          {text.noneLead}
        </Empty>
      )}
      {chart && !chart.isEmpty && (
        <>
          <Paper p="md" mt="lg" miw={0}>
            <Group justify="space-between" mb="xs">
              <Text size="xs" className="quiet">
                {formatMoment(new Date(from * 1_000))} – {formatMoment(new Date(to * 1_000))}
              </Text>
              {values.from ? (
                <Button size="compact-xs" variant="default" onClick={() => set({ from: '', to: '' })}>
                  {text.zoomOut}
                </Button>
              ) : (
                <Text size="xs" className="quiet">
                  {text.zoomHint}
                </Text>
              )}
            </Group>
            <Suspense fallback={<Skeleton h={320} />}>
              <TimeChart
                label={`${metricWords(metric)} over time`}
                height={320}
                times={chart.times}
                series={chart.series}
                format={chart.format}
                onZoom={zoom}
              />
            </Suspense>
          </Paper>
          <Box mt="lg">
            <FigureTable chart={chart} isRate={isRate(metric)} />
          </Box>
        </>
      )}
    </PageFrame>
  );
}

/** A rate is made of its parts, so that it can be summed over any step. */
function partsOf(metric: string): string[] {
  return isRate(metric) ?? [metric];
}

type FieldsProps = {
  values: Partial<Record<ViewKey, string>>;
  onChange(values: Partial<Record<ViewKey, string>>): void;
};

function Fields({ values, onChange }: FieldsProps) {
  const view = readView(values);
  return (
    <Group align="flex-end" gap="sm">
      <Select
        label={text.measure}
        data={metricNames.map((value) => ({ value, label: metricWords(value) }))}
        value={view.metric}
        onChange={(metric) => onChange({ metric: metric ?? '' })}
        searchable
        flex="2 1 200px"
      />
      <Select
        label={text.by}
        data={[
          { value: '', label: text.all },
          ...Object.entries(dimensions).map(([value, label]) => ({ value, label })),
        ]}
        value={view.by}
        onChange={(by) => onChange({ by: by ?? '' })}
        flex="1 1 130px"
      />
      <Select
        label={text.range}
        data={Object.entries(ranges).map(([value, { label }]) => ({ value, label }))}
        value={view.range}
        onChange={(range) => onChange({ range: range ?? '', from: '', to: '' })}
        flex="1 1 130px"
      />
      <Select
        label={text.step}
        data={[
          { value: 'hour', label: 'Hours' },
          { value: 'day', label: 'Days' },
          { value: 'week', label: 'Weeks' },
        ]}
        value={view.step}
        onChange={(step) => onChange({ step: step ?? '' })}
        flex="1 1 100px"
      />
      <Switch
        label={text.compare}
        checked={view.isCompared}
        onChange={(event) => onChange({ compare: event.currentTarget.checked ? '1' : '' })}
        mb={8}
      />
    </Group>
  );
}

type ExportsProps = { name: string; csv(): string; from: number; to: number };

/** What is seen, as a file; and the query behind it. */
function Exports({ name, csv, from, to }: ExportsProps) {
  const { environment } = useConsole();
  const hour = (seconds: number) => new Date(seconds * 1_000).toISOString().replace('.000', '');
  const query = `${location.origin}${settings.basePath}/metrics/${name}?environment=${environment.name}&start_time[gte]=${hour(from)}&start_time[lt]=${hour(to)}&limit=10000`;
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="default" leftSection={<Download size={15} aria-hidden />}>
          Export
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => saveText(`${name}.csv`, csv())}>As CSV</Menu.Item>
        <Menu.Item onClick={() => void copyText(query)}>Copy the query</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
