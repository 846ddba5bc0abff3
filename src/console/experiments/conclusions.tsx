import { List, Paper, Text, Title } from '@mantine/core';
import type { MetricDifference } from '../../../gen/es/personalisation/v1/experiment_pb.js';
import type { ReadExperimentResponse } from '../../../gen/es/personalisation/v1/experiment_service_pb.js';
import { formatChange, formatMean } from '../kit/format.ts';
import { hasHappened } from './happened.ts';
import { text } from './text.ts';

/** In words: what is proven, and what not. */
export function Conclusions({ reading }: { reading: ReadExperimentResponse }) {
  const measured = reading.differences.filter((one) => one.interval !== undefined && hasHappened(one));
  const proven = measured.filter(({ significant }) => significant);
  const open = measured.filter(({ significant }) => !significant);
  return (
    <Paper p="md" miw={0}>
      <Title order={2} mb="sm">
        {text.conclude}
      </Title>
      {reading.sampleRatio?.mismatch && (
        <Text size="sm" c="var(--down)" mb="xs">
          {text.mismatch}
        </Text>
      )}
      {measured.length === 0 && <Text size="sm">{text.few}</Text>}
      <List size="sm" spacing={6}>
        {proven.map((difference) => (
          <List.Item key={difference.arm + difference.metric}>{provenWords(difference)}</List.Item>
        ))}
        {open.slice(0, 3).map((difference) => (
          <List.Item key={difference.arm + difference.metric}>{openWords(difference)}</List.Item>
        ))}
      </List>
      <Text size="xs" className="quiet" mt="sm">
        {text.caution}
      </Text>
    </Paper>
  );
}

const metricName = (metric: string): string => metric.replaceAll('_', ' ');

/** As a share of the control arm where there is something to share. */
function sizeWords(value: number, { controlMean }: MetricDifference): string {
  return controlMean === 0 ? formatMean(value) : formatChange(value / Math.abs(controlMean));
}

function provenWords(difference: MetricDifference): string {
  const { arm, metric, interval } = difference;
  const [low, high] = [sizeWords(interval!.low, difference), sizeWords(interval!.high, difference)];
  return text.better(arm, metricName(metric), low, high);
}

function openWords(difference: MetricDifference): string {
  const { arm, metric, smallestDetectable = 0 } = difference;
  return text.open(arm, metricName(metric), sizeWords(smallestDetectable, difference).replace('+', ''));
}
