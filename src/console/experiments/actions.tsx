import { useMutation } from '@connectrpc/connect-query';
import { Button, NumberInput, Select } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { type Experiment, ExperimentState } from '../../../gen/es/personalisation/v1/experiment_pb.js';
import { ExperimentService } from '../../../gen/es/personalisation/v1/experiment_service_pb.js';
import { ConfirmDialog } from '../kit/dialog.tsx';
import { useRefresh } from '../kit/queries.ts';
import { useConsole } from '../service/console-context.ts';
import { t } from '../texts/texts.ts';

const { DRAFT, RUNNING, STOPPED, CONCLUDED, ARCHIVED } = ExperimentState;
const { method } = ExperimentService;

type Action = {
  label: string;
  from: ExperimentState[];
  isHarmless?: boolean;
  consequence: string;
};

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
export function ExperimentActions({ experiment }: { experiment: Experiment }) {
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
        <Button
          variant="default"
          component={Link}
          href={pathTo(`experiments/${experiment.experimentId}/edit`)}
        >
          {t('Edit')}
        </Button>
      )}
      {asked && <Ask name={asked} experiment={experiment} onClose={() => setAsked(undefined)} />}
    </>
  );
}

type AskProps = { name: Name; experiment: Experiment; onClose(): void };

function Ask({ name, experiment, onClose }: AskProps) {
  const { environment, pathTo } = useConsole();
  const [, navigate] = useLocation();
  const { experimentId, share = 1, variants } = experiment;
  const [percent, setPercent] = useState<string | number>(share * 100);
  const [winner, setWinner] = useState<string | null>(null);
  const refresh = useRefresh();
  const mutations = {
    start: useMutation(method.startExperiment, refresh),
    ramp: useMutation(method.rampExperiment, refresh),
    stop: useMutation(method.stopExperiment, refresh),
    conclude: useMutation(method.concludeExperiment, refresh),
    archive: useMutation(method.archiveExperiment, refresh),
    delete: useMutation(method.deleteExperiment),
  };
  const { label, consequence, isHarmless }: Action = actions[name];
  const request = { environment: environment.name, experimentId };
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
