import '../texts/language.ts';
import 'uplot/dist/uPlot.min.css';
import { useComputedColorScheme } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import UPlot, { type Options, type Series } from 'uplot';
import { useConsole } from '../service/console-context.ts';
import { t } from '../texts/texts.ts';
import type { ChartSeries } from './chart-series.ts';
import { seriesColor } from './colors.ts';
import { formatAxis, formatMoment, formatNumber } from './format.ts';

/** First import: uPlot reads the browser's language while it loads. */

type TimeChartProps = {
  /** Description for screen readers. */
  label: string;
  /** Unix seconds, ascending. */
  times: number[];
  series: ChartSeries[];
  height?: number;
  format?(value: number): string;
  /** Reports an interval selected with the pointer, Unix seconds. */
  onZoom?(from: number, to: number): void;
};

/** Line chart over time; uPlot draws 100,000 points without delay. */
export default function TimeChart({ label, height = 260, ...props }: TimeChartProps) {
  const holder = useRef<HTMLDivElement>(null);
  const plot = useRef<UPlot>(undefined);
  const [step, setStep] = useState<number>();
  const isDark = useComputedColorScheme('light') === 'dark';
  const { times, series, format = formatNumber, onZoom } = props;
  const { timeZone } = useConsole().environment;
  useEffect(() => {
    const element = holder.current!;
    const size = () => ({ width: element.clientWidth, height });
    const options = chartOptions({ series, format, onZoom, isDark, timeZone });
    const chart = new UPlot(
      { ...options, ...size() },
      [times, ...series.map(({ values }) => values)],
      element,
    );
    plot.current = chart;
    const observer = new ResizeObserver(() => chart.setSize(size()));
    observer.observe(element);
    return () => {
      observer.disconnect();
      chart.destroy();
    };
  }, [times, series, format, onZoom, height, isDark, timeZone]);
  const show = (next: number) => {
    setStep(next);
    plot.current?.setCursor({ left: plot.current.valToPos(times[next], 'x'), top: 0 });
  };
  const at = Math.min(step ?? times.length - 1, times.length - 1);
  const words = series.map(
    ({ label: name, values }) => `${name} ${values[at] == null ? '–' : format(values[at])}`,
  );
  return (
    <>
      {/** The keyboard's way to the values: arrow keys move the cursor of the chart. */}
      <input
        type="range"
        className="visually-hidden"
        min={0}
        max={times.length - 1}
        value={at}
        aria-label={t('{label}, values', { label })}
        aria-valuetext={`${formatMoment(new Date((times[at] ?? 0) * 1_000), timeZone)}: ${words.join(', ')}`}
        onChange={(event) => show(Number(event.currentTarget.value))}
      />
      <div ref={holder} role="img" aria-label={label} className="chart" style={{ minHeight: height }} />
    </>
  );
}

/** Shown on both sides of a single point. */
const marginSeconds = 43_200;

type ChartSettings = Pick<TimeChartProps, 'series' | 'onZoom'> & {
  format(value: number): string;
  isDark: boolean;
  timeZone: string;
};

function chartOptions({
  series,
  format,
  onZoom,
  isDark,
  timeZone,
}: ChartSettings): Omit<Options, 'width' | 'height'> {
  const text = isDark ? '#a3a9b8' : '#5b6272';
  const line = isDark ? '#2c2f38' : '#eceef3';
  const axis = {
    stroke: text,
    grid: { stroke: line, width: 1 },
    ticks: { show: false },
    font: '11px system-ui',
  };
  const lines = series.map(
    ({ label, isDashed, color }, index): Series => ({
      label,
      stroke: seriesColor(color ?? index, isDark),
      width: isDashed ? 1.25 : 2,
      dash: isDashed ? [5, 4] : undefined,
      points: { show: true, filter: isolatedPoints, size: 6, fill: seriesColor(color ?? index, isDark) },
      value: (_, value) => (value === null ? '–' : format(value)),
    }),
  );
  const labelOf = (seconds: number) => formatMoment(new Date(seconds * 1_000), timeZone);
  return {
    tzDate: (seconds) => UPlot.tzDate(new Date(seconds * 1_000), timeZone),
    series: [
      { label: t('Time'), value: (_, seconds) => (seconds === null ? '–' : labelOf(seconds)) },
      ...lines,
    ],
    axes: [
      { ...axis, values: (_, moments) => formatAxis(moments, timeZone), space: 70 },
      { ...axis, size: 56, values: (_, values) => withoutRepeats(values.map(format)) },
    ],
    scales: {
      x: {
        range: (chart, first, last) =>
          chart.data[0].length === 1 ? [first - marginSeconds, first + marginSeconds] : [first, last],
      },
      y: { range: (_, _min, max) => [0, max > 0 ? max * 1.08 : 1] },
    },
    cursor: { drag: { x: onZoom !== undefined, y: false, setScale: false }, points: { size: 7 } },
    legend: { live: true },
    hooks: {
      setSelect: [
        (chart) => {
          const { left, width } = chart.select;
          if (width < 8) return;
          chart.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
          onZoom?.(chart.posToVal(left, 'x'), chart.posToVal(left + width, 'x'));
        },
      ],
    },
  };
}

/** Indexes of values between gaps, which a line would not show. */
function isolatedPoints(chart: UPlot, series: number): number[] {
  const values = chart.data[series];
  const isGap = (index: number) => values[index] === null || values[index] === undefined;
  return Array.from(values.keys()).filter((index) => !isGap(index) && isGap(index - 1) && isGap(index + 1));
}

/** Blanks repeated labels: small counts have more grid lines than whole numbers. */
function withoutRepeats(labels: string[]): string[] {
  return labels.map((label, index) => (label === labels[index - 1] ? '' : label));
}
