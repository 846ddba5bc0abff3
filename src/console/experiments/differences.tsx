import { Box, Group, Text } from '@mantine/core';
import type { MetricDifference } from '../../../gen/es/personalisation/v1/experiment_pb.js';
import { formatChange, formatMean } from '../kit/format.ts';
import { metricLabel } from '../kit/metrics.ts';
import { Hint } from '../kit/page.tsx';
import { DataTable, TablePaper } from '../kit/table.tsx';
import { t } from '../texts/texts.ts';
import { isMeasured, type Reading } from './conclusions.tsx';

/** Wider intervals end at the edge: one of few events would make all others invisible. */
const mostReach = 2;

/** Metrics of each variant, with intervals drawn around zero difference. */
export function Differences({ reading: { differences } }: { reading: Reading }) {
  const ends = differences.flatMap(({ interval, controlMean }) =>
    interval && controlMean !== 0 ? [interval.low / controlMean, interval.high / controlMean] : [],
  );
  const reach = Math.min(Math.max(...ends.map(Math.abs), 0.01), mostReach);
  return (
    <TablePaper>
      <DataTable
        aria-label={t('Metrics')}
        rows={differences.filter(isMeasured)}
        keyOf={({ arm, metric }) => arm + metric}
        columns={[
          {
            label: t('Metric per device'),
            cell: ({ metric, arm }) => (
              <>
                {metricLabel(metric)}
                <Hint hiddenFrom="sm">
                  <bdi>{arm}</bdi>
                </Hint>
              </>
            ),
          },
          { label: t('Variant'), from: 'sm', cell: ({ arm }) => <bdi>{arm}</bdi> },
          {
            label: t('Control mean'),
            isNumber: true,
            from: 'sm',
            cell: (one) => formatMean(one.controlMean),
          },
          { label: t('Variant mean'), isNumber: true, from: 'sm', cell: (one) => formatMean(one.armMean) },
          {
            label: t('Difference'),
            isNumber: true,
            cell: ({ relativeDifference, significant }) => (
              <Text span size="sm" fw={significant ? 600 : 400}>
                {relativeDifference === undefined ? '–' : formatChange(relativeDifference)}
              </Text>
            ),
          },
          {
            label: t('Interval'),
            width: '32%',
            note: <Axis reach={reach} />,
            cell: (one) => <IntervalBar difference={one} reach={reach} />,
          },
        ]}
      />
    </TablePaper>
  );
}

/** Of an interval at most, in pixels. */
const width = 240;

/** Scale of the intervals below. */
const Axis = ({ reach }: { reach: number }) => (
  <Group
    justify="space-between"
    gap={0}
    wrap="nowrap"
    maw={width}
    visibleFrom="sm"
    fw={400}
    fz={11}
    className="numbers quiet"
  >
    {[-reach, 0, reach].map((value) => (
      <span key={value}>{formatChange(value)}</span>
    ))}
  </Group>
);

/** Puts a text below a place of its box, 0 to 1, and never outside the box. */
const under = (place: number) =>
  ({ position: 'relative', left: `${100 * place}%`, transform: `translateX(${-100 * place}%)` }) as const;

/** @param reach End of the widest interval, relative to control. */
function IntervalBar({ difference, reach }: { difference: MetricDifference; reach: number }) {
  const { interval, controlMean, relativeDifference = 0, significant } = difference;
  if (!interval) return <span className="quiet">{t('not enough devices')}</span>;
  /** Without events in control, the interval is absolute. */
  if (controlMean === 0)
    return t('{low} to {high}', { low: formatMean(interval.low), high: formatMean(interval.high) });
  const x = (value: number) =>
    width / 2 + (Math.min(Math.max(value, -reach), reach) / reach) * (width / 2 - 4);
  const [low, high] = [interval.low / controlMean, interval.high / controlMean];
  const color = differenceColor(significant, relativeDifference);
  const words = t('{low} to {high}', { low: formatChange(low), high: formatChange(high) });
  return (
    <>
      <svg
        viewBox={`0 0 ${width} 20`}
        width="100%"
        height={20}
        style={{ maxWidth: width, display: 'block' }}
        aria-hidden
      >
        <line x1={width / 2} x2={width / 2} y1={0} y2={20} stroke="var(--line)" />
        <line x1={x(low)} x2={x(high)} y1={10} y2={10} stroke={color} strokeWidth={3} strokeLinecap="round" />
        <circle cx={x(relativeDifference)} cy={10} r={4} fill={color} />
      </svg>
      <Box maw={width}>
        <Hint className="numbers" w="fit-content" style={under((x(low) + x(high)) / 2 / width)}>
          {words}
        </Hint>
      </Box>
    </>
  );
}

export function differenceColor(isSignificant: boolean, difference: number): string {
  if (!isSignificant) return 'var(--quiet)';
  return difference > 0 ? 'var(--up)' : 'var(--down)';
}
