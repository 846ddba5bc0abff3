import { useQuery } from '@connectrpc/connect-query';
import { Group, SegmentedControl, Select } from '@mantine/core';
import { useMemo } from 'react';
import { ExperimentService } from '../../../gen/es/personalisation/v1/experiment_service_pb.js';
import { FlaskConical } from '../kit/icons.ts';
import { Empty, ErrorNotice, Loading } from '../kit/page.tsx';
import { useAddress } from '../service/address.ts';
import { useConsole } from '../service/console-context.ts';
import { t } from '../texts/texts.ts';
import { OverTime, toHour } from './over-time.tsx';
import { Results } from './results.tsx';

const dayMs = 86_400_000;
const hourMs = 3_600_000;
const usualDays = 28;

/** Results of the split that the deployment file declares. */
export function Split() {
  const { environment } = useConsole();
  const { values, set } = useAddress<'dimension' | 'days'>();
  const offered = [
    ...(environment.versions.length > 1 ? [{ value: 'version', label: t('Versions') }] : []),
    ...(environment.userGroups.length > 1 ? [{ value: 'user_group', label: t('User groups') }] : []),
  ];
  const dimension = (offered.find(({ value }) => value === values.dimension) ?? offered[0])?.value;
  const days = Number(values.days) || usualDays;
  const interval = useMemo(() => intervalOf(days), [days]);
  const startTime = { gte: toHour(interval.fromMs), lt: toHour(interval.toMs) };
  const { data, error, refetch } = useQuery(
    ExperimentService.method.readExperiment,
    { environment: environment.name, dimension, startTime },
    { enabled: dimension !== undefined },
  );
  return (
    <>
      {dimension === undefined ? (
        <Empty icon={FlaskConical} title={t('No split')}>
          {t(
            'Declare versions or user groups with shares in the deployment file to split devices among them.',
          )}
        </Empty>
      ) : (
        <Group mb="lg" align="flex-end">
          {offered.length > 1 && (
            <SegmentedControl
              aria-label={t('Compare')}
              data={offered}
              value={dimension}
              onChange={(next) => set({ dimension: next })}
            />
          )}
          <Select
            label={t('Since')}
            data={[7, 14, 28, 56, 91].map((count) => ({
              value: String(count),
              label: t('{count} days ago', { count }),
            }))}
            value={String(days)}
            onChange={(next) => set({ days: next ?? '' })}
            w={160}
          />
        </Group>
      )}
      {error && <ErrorNotice error={error} onRetry={refetch} />}
      {dimension !== undefined && !data && !error && <Loading h={300} />}
      {data && dimension && (
        <Results reading={data}>
          <OverTime reading={data} period={{ environment: environment.name, dimension, ...interval }} />
        </Results>
      )}
    </>
  );
}

function intervalOf(days: number) {
  const toMs = Math.ceil(Date.now() / hourMs) * hourMs;
  return { fromMs: toMs - days * dayMs, toMs };
}
