import { Group, NumberInput, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData } from '@tanstack/react-query';
import { useState } from 'react';
import type { Experiment } from '../../../gen/es/personalisation/v1/experiment_pb.js';
import {
  ExperimentService,
  type PlanExperimentResponse,
} from '../../../gen/es/personalisation/v1/experiment_service_pb.js';
import { formatCount, formatCounted, formatMean, formatShare } from '../kit/format.ts';
import { ErrorNotice, Hint, Loading, Section } from '../kit/page.tsx';
import { useRead } from '../kit/queries.ts';
import { DataTable } from '../kit/table.tsx';
import { t } from '../texts/texts.ts';

const pauseMs = 400;

/** How many devices and days the experiment needs, from the traffic of the last 28 days. */
export function PlanSection({ draft: { metric, variants, traffic } }: { draft: Experiment }) {
  const [percent, setPercent] = useState<string | number>(5);
  const request = {
    metric,
    traffic: Math.max(traffic ?? 1, 0.001),
    shares: variants.map(({ share = 1 }) => Math.max(share, 0.001)),
    effect: Math.max(Number(percent) / 100, 0.001),
  };
  const [[asked]] = useDebouncedValue([request], pauseMs);
  const { data, error, refetch } = useRead(ExperimentService.method.planExperiment, asked, {
    placeholderData: keepPreviousData,
  });
  return (
    <Section title={t('Sample size and duration')} lead={t('95 % confidence, 80 % power.')}>
      <NumberInput
        label={t('Smallest change to find (%)')}
        maw={240}
        mb="sm"
        min={0.1}
        max={1_000}
        value={percent}
        onChange={setPercent}
      />
      {error && <ErrorNotice error={error} onRetry={refetch} />}
      {!data && !error && <Loading h={60} />}
      {data && <Plan plan={data} />}
    </Section>
  );
}

function Plan({ plan }: { plan: PlanExperimentResponse }) {
  const { requiredDeviceCount, durationDays, mean, deviceCount, detectableEffects } = plan;
  return (
    <>
      <Text size="sm" role="status">
        {requiredDeviceCount === undefined
          ? t('Not enough data for a plan: the metric has no values in the last 28 days.')
          : t('Needs {devices}, about {days}.', {
              devices: formatCounted(Number(requiredDeviceCount), 'device'),
              days: formatCounted(durationDays ?? 0, 'day'),
            })}
      </Text>
      <Hint mb="sm">
        {t('Last 28 days: {count} devices, mean {mean}.', {
          count: formatCount(Number(deviceCount)),
          mean: formatMean(mean),
        })}
      </Hint>
      {detectableEffects.length > 0 && (
        <Group>
          <DataTable
            aria-label={t('Detectable change by duration')}
            rows={detectableEffects}
            keyOf={({ days }) => days}
            columns={[
              { label: t('Duration'), cell: ({ days }) => formatCounted(days, 'day') },
              { label: t('Detectable change'), isNumber: true, cell: ({ effect }) => formatShare(effect) },
            ]}
          />
        </Group>
      )}
    </>
  );
}
