import { Badge, Progress } from '@mantine/core';
import { type Batch, BatchState } from '../../../gen/es/personalisation/v1/batch_pb.js';
import { formatCount } from '../kit/format.ts';
import { t } from '../texts/texts.ts';

/** Interval between refreshes of a running batch. */
export const busyMs = 1_000;

const badges: Partial<Record<BatchState, { children: string; color: string }>> = {
  [BatchState.QUEUED]: { children: t('Waiting'), color: 'gray' },
  [BatchState.RUNNING]: { children: t('Running'), color: 'blue' },
  [BatchState.DONE]: { children: t('Done'), color: 'green' },
  [BatchState.CANCELLED]: { children: t('Cancelled'), color: 'gray' },
  [BatchState.FAILED]: { children: t('Failed'), color: 'red' },
};

export const isUnderWay = ({ state }: Batch): boolean =>
  state === BatchState.QUEUED || state === BatchState.RUNNING;

export const StateBadge = ({ batch }: { batch: Batch }) => <Badge {...badges[batch.state]} />;

export function BatchProgress({ batch, size }: { batch: Batch; size: 'xs' | 'md' }) {
  const { progress, answeredCount, peopleCount } = batch;
  return (
    <Progress
      size={size}
      value={100 * progress}
      color={batch.state === BatchState.FAILED ? 'red' : undefined}
      aria-label={t('Lists for {answeredCount} of {peopleCount} people', {
        answeredCount: formatCount(answeredCount),
        peopleCount: formatCount(peopleCount),
      })}
      transitionDuration={0}
    />
  );
}

/** Describes a batch, which has no name of its own. */
export function batchWords({ request }: Batch): string {
  const { audienceId, activeWithinDays, lists = [] } = request ?? {};
  const ruleSets = [...new Set(lists.map(({ configurationId }) => configurationId))].join(', ');
  if (audienceId) return t('{ruleSets} for an audience', { ruleSets });
  if (activeWithinDays)
    return t('{ruleSets} for people active in the last {days} days', {
      ruleSets,
      days: formatCount(activeWithinDays),
    });
  return t('{ruleSets} for listed people', { ruleSets });
}
