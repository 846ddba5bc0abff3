import { Badge } from '@mantine/core';
import { type Experiment, ExperimentState } from '../../../gen/es/personalisation/v1/experiment_pb.js';
import { formatShare } from '../kit/format.ts';
import { metricPhrase } from '../kit/metrics.ts';

const words: Record<ExperimentState, [color: string, label: string]> = {
  [ExperimentState.UNSPECIFIED]: ['gray', 'Unknown'],
  [ExperimentState.DRAFT]: ['blue', 'Draft'],
  [ExperimentState.RUNNING]: ['green', 'Running'],
  [ExperimentState.STOPPED]: ['orange', 'Stopped'],
  [ExperimentState.CONCLUDED]: ['gray', 'Concluded'],
  [ExperimentState.ARCHIVED]: ['gray', 'Archived'],
};

export function StateBadge({ experiment: { state = 0, share = 0 } }: { experiment: Experiment }) {
  const [color, label] = words[state];
  return (
    <Badge color={color}>
      {label}
      {state === ExperimentState.RUNNING && ` with ${formatShare(share)} of the traffic`}
    </Badge>
  );
}

/** The result so far, in one sentence. */
export function outcomeOf({ state, winner, decision }: Experiment): string {
  if (winner) return `Winner: ${winner}.`;
  if (state === ExperimentState.DRAFT) return 'Not started.';
  const { kind, variant, metric = '' } = decision ?? {};
  if (kind === 'decided') return `Significant difference in ${metricPhrase(metric)} for ${variant}.`;
  if (kind === 'rolled_back') return `Stopped: ${variant} harmed ${metricPhrase(metric)}.`;
  return state === ExperimentState.RUNNING ? 'No decision yet.' : 'No winner.';
}
