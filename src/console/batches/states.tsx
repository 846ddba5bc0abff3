import { Badge, Progress } from '@mantine/core';
import { type Batch, BatchState } from '../../../gen/es/personalisation/v1/batch_pb.js';
import { formatCount } from '../kit/format.ts';

/** Interval between refreshes of a running batch. */
export const busyMs = 1_000;

const badges: Partial<Record<BatchState, { children: string; color: string }>> = {
  [BatchState.QUEUED]: { children: 'Waiting', color: 'gray' },
  [BatchState.RUNNING]: { children: 'Running', color: 'blue' },
  [BatchState.DONE]: { children: 'Done', color: 'green' },
  [BatchState.CANCELLED]: { children: 'Cancelled', color: 'gray' },
  [BatchState.FAILED]: { children: 'Failed', color: 'red' },
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
      aria-label={`Lists for ${formatCount(answeredCount)} of ${formatCount(peopleCount)} people`}
      transitionDuration={0}
    />
  );
}

/** Describes a batch, which has no name of its own. */
export function batchWords({ request }: Batch): string {
  const { audienceId, activeWithinDays, lists = [] } = request ?? {};
  const ruleSets = [...new Set(lists.map(({ configurationId }) => configurationId))].join(', ');
  if (audienceId) return `${ruleSets} for an audience`;
  if (activeWithinDays)
    return `${ruleSets} for people active in the last ${formatCount(activeWithinDays)} days`;
  return `${ruleSets} for listed people`;
}
