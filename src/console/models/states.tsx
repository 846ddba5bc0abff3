import { Badge, Group, Progress, Text } from '@mantine/core';
import {
  type ModelComparison,
  type Training,
  TrainingReason,
  TrainingState,
} from '../../../gen/es/personalisation/v1/training_pb.js';
import { formatChange, formatCount, formatQuality } from '../kit/format.ts';
import { Hint } from '../kit/page.tsx';

const badges: Partial<Record<TrainingState, { children: string; color: string }>> = {
  [TrainingState.QUEUED]: { children: 'Waiting', color: 'gray' },
  [TrainingState.RUNNING]: { children: 'Running', color: 'blue' },
  [TrainingState.PUBLISHED]: { children: 'Published', color: 'green' },
  [TrainingState.KEPT]: { children: 'Not better', color: 'gray' },
  [TrainingState.FAILED]: { children: 'Failed', color: 'red' },
};

export const triggers: Partial<Record<TrainingReason, string>> = {
  [TrainingReason.FIRST]: 'First training',
  [TrainingReason.EVENTS]: 'New events',
  [TrainingReason.ITEMS]: 'Changed items',
  [TrainingReason.SCHEDULE]: 'Schedule',
  [TrainingReason.DEMAND]: 'Manual',
};

const stages: Record<string, string> = {
  '': 'Waiting for a node',
  items: 'Reading items',
  events: 'Reading events',
  settings: 'Choosing settings',
  held_out: 'Selecting test cases',
  blend: 'Learning the model mix',
  judging: 'Comparing with the live models',
  publishing: 'Publishing',
};

export const isUnderWay = ({ state }: Training) =>
  state === TrainingState.QUEUED || state === TrainingState.RUNNING;

export function StateBadges({ training, isServed }: { training: Training; isServed: boolean }) {
  return (
    <Group gap={4}>
      <Badge {...badges[training.state]} />
      {isServed && <Badge>Live</Badge>}
    </Group>
  );
}

/** Decision of a training, or its progress. */
export function Result({ training }: { training: Training }) {
  const { stage, progress, decision } = training;
  if (!isUnderWay(training)) {
    const verdict = verdictOf(training.comparison);
    return (
      <>
        {verdict && <Text size="sm">{verdict}</Text>}
        {verdict ? <Hint>{decision}</Hint> : <Text size="sm">{decision}</Text>}
      </>
    );
  }
  return (
    <>
      <Text size="xs">{stages[stage] ?? `Training ${stage.replaceAll('_', ' ')}`}</Text>
      <Progress value={100 * progress} mt={4} aria-label="Progress of the training" />
    </>
  );
}

/** Verdict on trained models in plain words; undefined if none was possible. */
export function verdictOf(comparison: ModelComparison | undefined): string | undefined {
  const { questionCount = 0, hitCount, servedHitCount } = comparison ?? {};
  if (questionCount === 0 || hitCount === undefined || servedHitCount === undefined) return undefined;
  const ofHundred = (count: number) => formatCount((100 * count) / questionCount);
  return `Of 100 next items, ${ofHundred(hitCount)} were in the first 20; with the models before, ${ofHundred(servedHitCount)}.`;
}

export const qualityHint = (testCases: number): string =>
  `NDCG@20 on ${formatCount(testCases)} test cases from events that no version was trained on`;

/** NDCG@20 of the trained models, and its change against the live ones on the same test cases. */
export function Quality({ comparison }: { comparison?: ModelComparison }) {
  if (!comparison) return <span className="quiet">–</span>;
  const { quality, servedQuality, questionCount } = comparison;
  const change = servedQuality === 0 ? 0 : quality / servedQuality - 1;
  return (
    <div title={qualityHint(questionCount)}>
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
