import { List, Text } from '@mantine/core';
import type { MetricDifference } from '../../../gen/es/personalisation/v1/experiment_pb.js';
import type { ReadExperimentResponse } from '../../../gen/es/personalisation/v1/experiment_service_pb.js';
import { formatChange, formatMean } from '../kit/format.ts';
import { metricPhrase } from '../kit/metrics.ts';
import { Hint, Section } from '../kit/page.tsx';
import { t } from '../texts/texts.ts';

/** Results of a stored experiment, or of a split of the deployment. */
export type Reading = Pick<
  ReadExperimentResponse,
  'arms' | 'differences' | 'crossedDeviceCount' | 'sampleRatio'
>;

/** Whether a difference is worth showing: the event occurred, and not equally often on every device. */
export const isMeasured = ({ controlMean, armMean, smallestDetectable }: MetricDifference): boolean =>
  (controlMean !== 0 || armMean !== 0) && smallestDetectable !== 0;

export const tooFew = t('Not enough devices for an interval yet; each variant needs 100.');

const mostOpen = 3;

/** The result in sentences: proven differences, then open ones. */
export function Conclusions({ reading }: { reading: Reading }) {
  const measured = reading.differences.filter((one) => one.interval !== undefined && isMeasured(one));
  const proven = measured.filter(({ significant }) => significant);
  const open = measured.filter(({ significant }) => !significant);
  return (
    <Section title={t('Conclusions')}>
      {reading.sampleRatio?.mismatch && (
        <Text size="sm" c="var(--down)" mb="xs">
          {mismatch}
        </Text>
      )}
      {measured.length === 0 && <Text size="sm">{tooFew}</Text>}
      <List size="sm" spacing={6}>
        {[...proven.map(provenWords), ...open.slice(0, mostOpen).map(openWords)].map((sentence) => (
          <List.Item key={sentence}>{sentence}</List.Item>
        ))}
      </List>
      <Hint mt="sm">
        {t(
          'Choose the deciding metric before the test. Among many metrics, one may differ by chance; a difference that is not proven may still exist.',
        )}
      </Hint>
    </Section>
  );
}

export const mismatch = t(
  'The split of devices does not match the declared shares. Fix assignment or tracking before you trust any difference.',
);

/** A change relative to the control variant; absolute if the control has none. */
const sizeWords = (value: number, { controlMean }: MetricDifference): string =>
  controlMean === 0 ? formatMean(value) : formatChange(value / Math.abs(controlMean));

function provenWords(difference: MetricDifference): string {
  const { arm, metric, interval } = difference;
  const [low, high] = [sizeWords(interval!.low, difference), sizeWords(interval!.high, difference)];
  return t('Significant difference in {metric} for {variant}: {low} to {high}, compared with control.', {
    metric: metricPhrase(metric),
    variant: arm,
    low,
    high,
  });
}

function openWords(difference: MetricDifference): string {
  const { arm, metric, smallestDetectable = 0 } = difference;
  const size = sizeWords(smallestDetectable, difference).replace('+', '');
  return t(
    'No significant difference in {metric} for {variant} yet. With this traffic we could detect a change of {size} or more (80 % power).',
    { metric: metricPhrase(metric), variant: arm, size },
  );
}
