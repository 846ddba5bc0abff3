import { Badge, Progress } from '@mantine/core';
import { type Batch, BatchState } from '../../../gen/es/personalisation/v1/batch_pb.js';
import { formatCount } from '../kit/format.ts';
import { stateMarks } from './text.ts';

/** Between two looks at what is under way. */
export const watchMs = 1_000;

export const isUnderWay = ({ state }: Batch): boolean =>
  state === BatchState.QUEUED || state === BatchState.RUNNING;

export function StateMark({ batch }: { batch: Batch }) {
  const mark = stateMarks[batch.state];
  return (
    <Badge variant="light" color={mark?.color} tt="none">
      {mark?.label}
    </Badge>
  );
}

/** How many of the people are answered. */
export function Advance({ batch, size }: { batch: Batch; size: 'xs' | 'md' }) {
  const { progress, answeredCount, peopleCount } = batch;
  return (
    <Progress
      size={size}
      value={100 * progress}
      color={batch.state === BatchState.FAILED ? 'red' : undefined}
      aria-label={`${formatCount(answeredCount)} of ${formatCount(peopleCount)} answered`}
      transitionDuration={0}
    />
  );
}

const namesOf = ({ request }: Batch): string[] => [
  ...new Set((request?.lists ?? []).map(({ configurationId }) => configurationId)),
];

/** What a batch is called: it has no name of its own. */
export function batchWords(batch: Batch): string {
  const { audienceId, activeWithinDays } = batch.request ?? {};
  const people = audienceId
    ? 'an audience'
    : activeWithinDays
      ? `active within ${formatCount(activeWithinDays)} days`
      : 'named people';
  return `${namesOf(batch).join(', ')} for ${people}`;
}
