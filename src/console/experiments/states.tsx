import { Badge } from '@mantine/core';
import { type Experiment, ExperimentState } from '../../../gen/es/personalisation/v1/experiment_pb.js';
import { formatShare } from '../kit/format.ts';
import { metricPhrase } from '../kit/metrics.ts';
import { t } from '../texts/texts.ts';

const words: Record<ExperimentState, [color: string, label: string]> = {
  [ExperimentState.UNSPECIFIED]: ['gray', t('Unknown')],
  [ExperimentState.DRAFT]: ['blue', t('Draft')],
  [ExperimentState.RUNNING]: ['green', t('Running')],
  [ExperimentState.STOPPED]: ['orange', t('Stopped')],
  [ExperimentState.CONCLUDED]: ['gray', t('Concluded')],
  [ExperimentState.ARCHIVED]: ['gray', t('Archived')],
};

export function StateBadge({ experiment: { state = 0, share = 0 } }: { experiment: Experiment }) {
  const [color, label] = words[state];
  return (
    <Badge color={color}>
      {state === ExperimentState.RUNNING
        ? t('Running with {share} of the traffic', { share: formatShare(share) })
        : label}
    </Badge>
  );
}

/** The result so far, in one sentence. */
export function outcomeOf({ state, winner, decision }: Experiment): string {
  if (winner) return t('Winner: {winner}.', { winner });
  if (state === ExperimentState.DRAFT) return t('Not started.');
  const { kind, variant, metric = '' } = decision ?? {};
  if (kind === 'decided')
    return t('Significant difference in {metric} for {variant}.', { metric: metricPhrase(metric), variant });
  if (kind === 'rolled_back')
    return t('Stopped: {variant} harmed {metric}.', { variant, metric: metricPhrase(metric) });
  return state === ExperimentState.RUNNING ? t('No decision yet.') : t('No winner.');
}
