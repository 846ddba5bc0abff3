import { Button, Group, NumberInput, Paper, Select, Stack, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { type Experiment, ExperimentState } from '../../../gen/es/personalisation/v1/experiment_pb.js';
import {
  ExperimentService,
  type GetExperimentResultsResponse,
} from '../../../gen/es/personalisation/v1/experiment_service_pb.js';
import { modelName } from '../kit/colors.ts';
import { ConfirmDialog } from '../kit/dialog.tsx';
import { formatCount, formatList, formatMoment, formatNumber, formatShare, momentOf } from '../kit/format.ts';
import { metricLabel } from '../kit/metrics.ts';
import { ErrorNotice, Hint, Loading, PageFrame, RuleSetLink, Section, Unread } from '../kit/page.tsx';
import { useCall, useChange, useRead } from '../kit/queries.ts';
import { DataTable, FigureTiles } from '../kit/table.tsx';
import { useConsole } from '../service/console-context.ts';
import { t } from '../texts/texts.ts';
import { Results } from './results.tsx';
import { outcomeOf, StateBadge } from './states.tsx';

/** One experiment: state, actions, set-up and results. */
export function ExperimentPage({ experimentId }: { experimentId: string }) {
  const { can } = useConsole();
  const request = { experimentId };
  const { data, error, refetch } = useRead(ExperimentService.method.getExperiment, request);
  const experiment = data?.experiment;
  const results = useRead(ExperimentService.method.getExperimentResults, request, {
    enabled: experiment?.startTime !== undefined,
  });
  if (!experiment) return <Unread error={error} onRetry={refetch} />;
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

const { DRAFT, RUNNING, STOPPED, CONCLUDED, ARCHIVED } = ExperimentState;
const { method } = ExperimentService;

type Action = { label: string; from: ExperimentState[]; isHarmless?: boolean; consequence: string };

const actions = {
  start: {
    label: t('Start'),
    from: [DRAFT, STOPPED],
    isHarmless: true,
    consequence: t('Variants are served to their devices within a second. Results count from now.'),
  },
  ramp: {
    label: t('Change traffic'),
    from: [RUNNING],
    isHarmless: true,
    consequence: t('Smaller steps of the ramp are skipped.'),
  },
  conclude: {
    label: t('Publish the winner'),
    from: [RUNNING, STOPPED],
    isHarmless: true,
    consequence: t('The winner is served to the whole audience until the experiment is archived.'),
  },
  stop: {
    label: t('Stop'),
    from: [RUNNING],
    consequence: t('No variant is served any more. You can start again.'),
  },
  archive: {
    label: t('Archive'),
    from: [DRAFT, STOPPED, CONCLUDED],
    consequence: t('A winner is not served any more. Publish its version of the rule set first to keep it.'),
  },
  delete: {
    label: t('Delete'),
    from: [DRAFT, STOPPED, ARCHIVED],
    consequence: t('The experiment and its set-up are removed. Recorded events stay.'),
  },
} satisfies Record<string, Action>;

type Name = keyof typeof actions;

/** The steps that an experiment's state allows. */
function ExperimentActions({ experiment }: { experiment: Experiment }) {
  const { pathTo, mayChange } = useConsole();
  const [asked, setAsked] = useState<Name>();
  const state = experiment.state ?? DRAFT;
  const allowed = (Object.entries(actions) as [Name, Action][]).filter(
    ([name, { from }]) =>
      from.includes(state) &&
      mayChange('configurations', name === 'archive' || name === 'delete' ? 'edit' : 'publish'),
  );
  return (
    <>
      {allowed.map(([name, { label, isHarmless }]) => (
        <Button
          key={name}
          variant={isHarmless && name !== 'ramp' ? 'filled' : 'default'}
          onClick={() => setAsked(name)}
        >
          {label}
        </Button>
      ))}
      {state <= STOPPED && mayChange('configurations') && (
        <Button component={Link} href={pathTo(`experiments/${experiment.experimentId}/edit`)}>
          {t('Edit')}
        </Button>
      )}
      {asked && <Ask name={asked} experiment={experiment} onClose={() => setAsked(undefined)} />}
    </>
  );
}

type AskProps = { name: Name; experiment: Experiment; onClose(): void };

function Ask({ name, experiment, onClose }: AskProps) {
  const { pathTo } = useConsole();
  const [, navigate] = useLocation();
  const { experimentId, share = 1, variants } = experiment;
  const [percent, setPercent] = useState<string | number>(share * 100);
  const [winner, setWinner] = useState<string | null>(null);
  const mutations = {
    start: useChange(method.startExperiment),
    ramp: useChange(method.rampExperiment),
    stop: useChange(method.stopExperiment),
    conclude: useChange(method.concludeExperiment),
    archive: useChange(method.archiveExperiment),
    delete: useCall(method.deleteExperiment),
  };
  const { label, consequence, isHarmless }: Action = actions[name];
  const request = { experimentId };
  const extra = { ramp: { share: Number(percent) / 100 }, conclude: { winner: winner ?? undefined } };
  const onSuccess = () => (name === 'delete' ? navigate(pathTo('experiments')) : onClose());
  const fields: Partial<Record<Name, ReactNode>> = {
    ramp: (
      <NumberInput
        mt="sm"
        label={t('Traffic (%)')}
        min={0.1}
        max={100}
        value={percent}
        onChange={setPercent}
      />
    ),
    conclude: (
      <Select
        mt="sm"
        label={t('Winner')}
        placeholder={t('No winner')}
        clearable
        clearButtonProps={{ 'aria-label': t('Clear the winner') }}
        data={variants.map((one) => one.name)}
        value={winner}
        onChange={setWinner}
      />
    ),
  };
  return (
    <ConfirmDialog
      isOpen
      title={`${label}: ${experimentId}`}
      confirm={name === 'conclude' && !winner ? t('Conclude without a winner') : label}
      isHarmless={isHarmless}
      isDisabled={name === 'ramp' && !(Number(percent) > 0)}
      mutation={mutations[name]}
      onConfirm={() =>
        mutations[name].mutate({ ...request, ...(name in extra && extra[name as 'ramp']) }, { onSuccess })
      }
      onClose={onClose}
    >
      {consequence}
      {fields[name]}
    </ConfirmDialog>
  );
}
