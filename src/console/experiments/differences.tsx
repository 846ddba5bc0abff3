import { Paper, Table, Text } from '@mantine/core';
import type { MetricDifference } from '../../../gen/es/personalisation/v1/experiment_pb.js';
import type { ReadExperimentResponse } from '../../../gen/es/personalisation/v1/experiment_service_pb.js';
import { formatChange, formatMean } from '../kit/format.ts';
import { hasHappened } from './happened.ts';

/** Each measure of each arm, with its interval drawn around no difference. */
export function Differences({ reading: { differences } }: { reading: ReadExperimentResponse }) {
  const reach = Math.max(
    ...differences.flatMap(({ interval, controlMean }) =>
      interval && controlMean !== 0
        ? [Math.abs(interval.low / controlMean), Math.abs(interval.high / controlMean)]
        : [],
    ),
    0.01,
  );
  return (
    <Paper style={{ overflow: 'hidden' }}>
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Measure, by device</Table.Th>
            <Table.Th visibleFrom="sm">Arm</Table.Th>
            <Table.Th ta="end" visibleFrom="sm">
              Control
            </Table.Th>
            <Table.Th ta="end" visibleFrom="sm">
              Arm
            </Table.Th>
            <Table.Th ta="end">Difference</Table.Th>
            <Table.Th w="32%">Interval</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {differences.filter(hasHappened).map((difference) => (
            <DifferenceRow key={difference.arm + difference.metric} difference={difference} reach={reach} />
          ))}
        </Table.Tbody>
      </Table>
    </Paper>
  );
}

function DifferenceRow({ difference, reach }: { difference: MetricDifference; reach: number }) {
  const { metric, arm, controlMean, armMean, relativeDifference, significant } = difference;
  return (
    <Table.Tr>
      <Table.Td>
        {metric.replaceAll('_', ' ')}
        <Text size="xs" className="quiet" hiddenFrom="sm">
          <bdi>{arm}</bdi>
        </Text>
      </Table.Td>
      <Table.Td visibleFrom="sm">
        <bdi>{arm}</bdi>
      </Table.Td>
      <Table.Td ta="end" className="numbers" visibleFrom="sm">
        {formatMean(controlMean)}
      </Table.Td>
      <Table.Td ta="end" className="numbers" visibleFrom="sm">
        {formatMean(armMean)}
      </Table.Td>
      <Table.Td ta="end" className="numbers">
        <Text span size="sm" fw={significant ? 600 : 400}>
          {relativeDifference === undefined ? '–' : formatChange(relativeDifference)}
        </Text>
      </Table.Td>
      <Table.Td>
        <IntervalBar difference={difference} reach={reach} />
      </Table.Td>
    </Table.Tr>
  );
}

const width = 240;

/** @param reach The widest interval's end, relative to the control arm. */
function IntervalBar({ difference, reach }: { difference: MetricDifference; reach: number }) {
  const { interval, controlMean, relativeDifference = 0, significant } = difference;
  if (!interval) return <span className="quiet">too few devices</span>;
  /** There is nothing to be a share of. */
  if (controlMean === 0) return `${formatMean(interval.low)} to ${formatMean(interval.high)}`;
  const x = (value: number) => width / 2 + (value / reach) * (width / 2 - 4);
  const [low, high] = [x(interval.low / controlMean), x(interval.high / controlMean)];
  const color = !significant ? 'var(--quiet)' : relativeDifference > 0 ? 'var(--up)' : 'var(--down)';
  const words = `${formatChange(interval.low / controlMean)} to ${formatChange(interval.high / controlMean)}`;
  return (
    <svg viewBox={`0 0 ${width} 20`} width="100%" height={20} role="img" aria-label={words}>
      <title>{words}</title>
      <line x1={width / 2} x2={width / 2} y1={0} y2={20} stroke="var(--line)" />
      <line x1={low} x2={high} y1={10} y2={10} stroke={color} strokeWidth={3} strokeLinecap="round" />
      <circle cx={x(relativeDifference)} cy={10} r={4} fill={color} />
    </svg>
  );
}
