import { Badge, Group, Text } from '@mantine/core';
import {
  type ModelComparison,
  type Training,
  TrainingState,
} from '../../../gen/es/personalisation/v1/training_pb.js';
import { formatChange, formatCount, formatQuality } from '../kit/format.ts';
import { stateMarks, text } from './text.ts';

export const isUnderWay = ({ state }: Training) =>
  state === TrainingState.QUEUED || state === TrainingState.RUNNING;

export function StateMarks({ training, isServed }: { training: Training; isServed: boolean }) {
  const mark = stateMarks[training.state];
  return (
    <Group gap={4}>
      <Badge variant="light" color={mark?.color} tt="none">
        {mark?.label}
      </Badge>
      {isServed && (
        <Badge variant="light" tt="none">
          in use
        </Badge>
      )}
    </Group>
  );
}

/** NDCG@20 of what was trained against what was in use, on the same questions. */
export function Quality({ comparison }: { comparison?: ModelComparison }) {
  if (!comparison) return <span className="quiet">–</span>;
  const { quality, servedQuality, questionCount } = comparison;
  const change = servedQuality === 0 ? 0 : quality / servedQuality - 1;
  return (
    <div title={text.qualityTitle(formatCount(questionCount))}>
      <Text size="sm" className="numbers" span>
        {formatQuality(quality)}
      </Text>
      {Math.abs(change) >= 0.0005 && (
        <Text size="xs" span ms={6} c={change > 0 ? 'var(--up)' : 'var(--down)'} className="numbers">
          {formatChange(change)}
        </Text>
      )}
    </div>
  );
}
