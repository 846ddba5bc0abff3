type SparklineProps = { values: number[]; width?: number; height?: number };

/** Line of a metric over time, without axes. */
export function Sparkline({ values, width = 120, height = 32 }: SparklineProps) {
  if (values.length < 2) return null;
  const most = Math.max(...values, Number.MIN_VALUE);
  const x = (index: number) => (index / (values.length - 1)) * width;
  const y = (value: number) => height - 2 - (value / most) * (height - 4);
  const line = values.map(
    (value, index) => `${index === 0 ? 'M' : 'L'}${x(index).toFixed(1)},${y(value).toFixed(1)}`,
  );
  return (
    <svg
      viewBox={`0 0 ${width} ${height}`}
      width="100%"
      height={height}
      preserveAspectRatio="none"
      aria-hidden
    >
      <path
        d={`${line.join('')}L${width},${height}L0,${height}Z`}
        fill="var(--mantine-color-ink-5)"
        opacity="0.12"
      />
      <path
        d={line.join('')}
        fill="none"
        stroke="var(--mantine-color-ink-5)"
        strokeWidth="1.5"
        vectorEffect="non-scaling-stroke"
      />
    </svg>
  );
}
