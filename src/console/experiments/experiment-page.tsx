import { useQuery } from '@connectrpc/connect-query';
import { Group, Paper, Stack, Text } from '@mantine/core';
import { type Experiment, ExperimentState } from '../../../gen/es/personalisation/v1/experiment_pb.js';
import {
  ExperimentService,
  type GetExperimentResultsResponse,
} from '../../../gen/es/personalisation/v1/experiment_service_pb.js';
import { modelName } from '../kit/colors.ts';
import { formatCount, formatList, formatMoment, formatNumber, formatShare, momentOf } from '../kit/format.ts';
import { metricLabel } from '../kit/metrics.ts';
import { ErrorNotice, Hint, Loading, PageFrame, PageSkeleton, RuleSetLink, Section } from '../kit/page.tsx';
import { DataTable, FigureTiles } from '../kit/table.tsx';
import { useConsole } from '../service/console-context.ts';
import { t } from '../texts/texts.ts';
import { ExperimentActions } from './actions.tsx';
import { Results } from './results.tsx';
import { outcomeOf, StateBadge } from './states.tsx';

/** One experiment: state, actions, set-up and results. */
export function ExperimentPage({ experimentId }: { experimentId: string }) {
  const { environment, can } = useConsole();
  const request = { environment: environment.name, experimentId };
  const { data, error, refetch } = useQuery(ExperimentService.method.getExperiment, request);
  const experiment = data?.experiment;
  const results = useQuery(ExperimentService.method.getExperimentResults, request, {
    enabled: experiment?.startTime !== undefined,
  });
  if (!experiment) return error ? <ErrorNotice error={error} onRetry={refetch} /> : <PageSkeleton />;
  const title = (
    <Group gap="sm" component="span">
      <bdi>{experimentId}</bdi>
      <StateBadge experiment={experiment} />
    </Group>
  );
  return (
    <PageFrame
      title={title}
      lead={experiment.hypothesis}
      actions={can('configurations') && <ExperimentActions experiment={experiment} />}
    >
      <Stack gap="lg">
        <Paper p="md">
          <Text fw={600}>{outcomeOf(experiment)}</Text>
          <Hint size="sm">{historyOf(experiment)}</Hint>
        </Paper>
        <SetUp experiment={experiment} />
        {results.error && <ErrorNotice error={results.error} onRetry={results.refetch} />}
        {results.isLoading && <Loading h={300} />}
        {results.data?.preference && <Preference preference={results.data.preference} />}
        {results.data && !results.data.preference && <Results reading={results.data} />}
      </Stack>
    </PageFrame>
  );
}

function historyOf({ state, startTime, endTime, decision }: Experiment): string {
  const [start, end] = [momentOf(startTime), momentOf(endTime)];
  return [
    start && t('Started {start}.', { start: formatMoment(start) }),
    end && state !== ExperimentState.RUNNING && t('Ended {end}.', { end: formatMoment(end) }),
    decision?.kind === 'ramped' && decision.detail,
  ]
    .filter(Boolean)
    .join(' ');
}

function SetUp({ experiment }: { experiment: Experiment }) {
  const { variants, metric, guardrails, audience, traffic, group } = experiment;
  const all = variants.reduce((sum, { share = 1 }) => sum + share, 0);
  const lead = [
    t('Primary metric: {metric}.', { metric: metricLabel(metric ?? 'click_through_rate') }),
    t('At most {share} of the traffic.', { share: formatShare(traffic ?? 1) }),
    group && t('Group {group}.', { group }),
    ...Object.entries(audience ?? {}).map(([name, values]) =>
      t('Audience: {variable} {values}.', {
        variable: name.replaceAll('_', ' '),
        values: formatList([values].flat().map(String), 'disjunction'),
      }),
    ),
    ...guardrails.map((one) =>
      t('Stops at a loss above {loss} of {metric}.', {
        loss: formatShare(one.toleratedLoss ?? 0),
        metric: metricLabel(one.metric),
      }),
    ),
  ];
  return (
    <Section title={t('Set-up')} lead={lead.filter(Boolean).join(' ')}>
      <DataTable
        aria-label={t('Set-up')}
        rows={variants}
        keyOf={({ name }) => name}
        columns={[
          { label: t('Variant'), cell: ({ name }) => <bdi>{name}</bdi> },
          { label: t('Share'), isNumber: true, cell: ({ share = 1 }) => formatShare(share / all) },
          {
            label: t('Changes'),
            cell: ({ configurations, models }) => (
              <>
                {Object.entries(configurations).map(([id, version]) => (
                  <div key={id}>
                    <RuleSetLink id={id} /> {t('version {version}', { version })}
                  </div>
                ))}
                {Object.entries(models).map(([model, factor]) => (
                  <div key={model}>
                    {modelName(model)} × {formatNumber(factor)}
                  </div>
                ))}
                {Object.keys({ ...configurations, ...models }).length === 0 && t('Nothing')}
              </>
            ),
          },
        ]}
      />
    </Section>
  );
}

type PreferenceProps = { preference: NonNullable<GetExperimentResultsResponse['preference']> };

/** Result by clicks on shared lists. */
function Preference({ preference }: PreferenceProps) {
  const { controlDeviceCount, variantDeviceCount, tiedDeviceCount, pValue, preferred } = preference;
  const verdict = preferred
    ? t('Visitors prefer {preferred}.', { preferred })
    : t('No significant preference yet.');
  return (
    <Section
      title={t('Preference')}
      lead={t('{verdict} p-value {pValue}.', { verdict, pValue: formatNumber(pValue) })}
    >
      <FigureTiles
        tiles={[
          [formatCount(Number(controlDeviceCount)), t('Devices that prefer the control')],
          [formatCount(Number(variantDeviceCount)), t('Devices that prefer the variant')],
          [formatCount(Number(tiedDeviceCount)), t('Devices without a preference')],
        ]}
      />
    </Section>
  );
}
