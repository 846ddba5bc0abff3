import { useElementSize } from '@mantine/hooks';
import { formatChange, formatDay } from '../kit/format.ts';
import { differenceColor } from './differences.tsx';

/** Result of a metric at one time, relative to control. */
export type Look = {
  atMs: number;
  value?: number;
  /** Ends of the interval; absent with too few devices. */
  low?: number;
  high?: number;
  isProven: boolean;
};

const height = 220;
const margin = { left: 58, right: 12, top: 10, bottom: 24 };
/** Pixels that a date needs. */
const labelWidth = 110;

/** Intervals over time, around the line of no difference. */
export function LookChart({ label, looks }: { label: string; looks: readonly Look[] }) {
  const { ref, width } = useElementSize();
  const ends = looks.flatMap(({ low = 0, high = 0 }) => [Math.abs(low), Math.abs(high)]);
  const reach = Math.max(...ends, 0.01) * 1.05;
  const step = Math.max(width - margin.left - margin.right, 0) / looks.length;
  const x = (index: number) => margin.left + step * (index + 0.5);
  const middle = (margin.top + height - margin.bottom) / 2;
  const y = (value: number) => middle - (value / reach) * (middle - margin.top);
  const every = Math.max(1, Math.ceil(labelWidth / Math.max(step, 1)));
  const line = roundBelow(reach);
  const last = looks.length - 1;
  return (
    <div ref={ref} style={{ minHeight: height }}>
      <svg width={width} height={height} role="img" aria-label={label} fontSize={11} display="block">
        {[line, 0, -line].map((value) => (
          <g key={value}>
            <line
              x1={margin.left}
              x2={width - margin.right}
              y1={y(value)}
              y2={y(value)}
              stroke="var(--line)"
            />
            <text x={margin.left - 8} y={y(value) + 4} textAnchor="end" fill="var(--quiet)">
              {formatChange(value)}
            </text>
          </g>
        ))}
        {looks.map((look, index) => (
          <g key={look.atMs}>
            <Interval look={look} x={x(index)} y={y} />
            {(last - index) % every === 0 && (
              <text
                x={index === last ? x(index) + step / 2 : x(index)}
                y={height - 6}
                textAnchor={index === last ? 'end' : 'middle'}
                fill="var(--quiet)"
              >
                {formatDay(new Date(look.atMs))}
              </text>
            )}
          </g>
        ))}
      </svg>
    </div>
  );
}

/** Largest of 1, 2 and 5 times a power of ten below a value. */
function roundBelow(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return power * ([5, 2].find((times) => times * power < value) ?? 1);
}

type IntervalProps = { look: Look; x: number; y(value: number): number };

function Interval({ look: { atMs, value, low, high, isProven }, x, y }: IntervalProps) {
  if (low === undefined || high === undefined || value === undefined) return null;
  const color = differenceColor(isProven, value);
  return (
    <>
      <title>{`${formatDay(new Date(atMs))}: ${formatChange(low)} to ${formatChange(high)}`}</title>
      <line x1={x} x2={x} y1={y(low)} y2={y(high)} stroke={color} strokeWidth={4} strokeLinecap="round" />
      <circle cx={x} cy={y(value)} r={5} fill={color} />
    </>
  );
}
