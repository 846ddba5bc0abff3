import { Group, SegmentedControl, Select } from '@mantine/core';
import { useMemo } from 'react';
import { Route, Switch } from 'wouter';
import { ExperimentService } from '../../../gen/es/personalisation/v1/experiment_service_pb.js';
import { ViewSwitch } from '../kit/fields.tsx';
import { FlaskConical } from '../kit/icons.ts';
import { Empty, ErrorNotice, Loading, PageFrame, RowLink } from '../kit/page.tsx';
import { useRead } from '../kit/queries.ts';
import { Ago, ResourceList } from '../kit/table.tsx';
import { useAddress } from '../service/address.ts';
import { useConsole } from '../service/console-context.ts';
import { t } from '../texts/texts.ts';
import { ExperimentPage } from './experiment-page.tsx';
import { EditExperiment, NewExperiment } from './form.tsx';
import { OverTime, toHour } from './over-time.tsx';
import { Results } from './results.tsx';
import { outcomeOf, StateBadge } from './states.tsx';

export function Page() {
  return (
    <Switch>
      <Route path="/:environment/experiments/new">
        <NewExperiment />
      </Route>
      <Route path="/:environment/experiments/:id/edit">
        {({ id }) => <EditExperiment key={id} experimentId={id} />}
      </Route>
      <Route path="/:environment/experiments/:id">
        {({ id }) => <ExperimentPage key={id} experimentId={id} />}
      </Route>
      <Route>
        <ExperimentList />
      </Route>
    </Switch>
  );
}

const views = { experiments: t('Experiments'), split: t('Split of the deployment') };

const text = {
  title: t('Experiments'),
  lead: t('Variants compared with a control. The intervals stay valid however often you look.'),
  create: t('New experiment'),
  none: t('No experiment yet'),
  noneLead: t('Compare versions of a rule set or weights of models on a part of the traffic.'),
};

/** The stored experiments, and the split that the deployment file declares. */
function ExperimentList() {
  const { environment, mayChange } = useConsole();
  const hasSplit = environment.versions.length > 1 || environment.userGroups.length > 1;
  const showsSplit = useAddress<'view'>().values.view === 'split' && hasSplit;
  const choice = hasSplit && <ViewSwitch views={views} />;
  if (showsSplit)
    return (
      <PageFrame title={text.title} lead={text.lead}>
        {choice}
        <Split />
      </PageFrame>
    );
  return (
    <ResourceList
      text={text}
      icon={FlaskConical}
      createPath={mayChange('configurations') ? 'experiments/new' : undefined}
      method={ExperimentService.method.listExperiments}
      rowsOf={({ experiments }) => experiments}
      keyOf={({ experimentId = '' }) => experimentId}
      columns={[
        {
          label: t('Experiment'),
          cell: ({ experimentId }) => <RowLink to={`experiments/${experimentId}`}>{experimentId}</RowLink>,
        },
        { label: t('State'), cell: (experiment) => <StateBadge experiment={experiment} /> },
        {
          label: t('Variants'),
          from: 'sm',
          cell: ({ variants }) => variants.map(({ name }) => name).join(', '),
        },
        { label: t('Started'), from: 'sm', isQuiet: true, cell: ({ startTime }) => <Ago time={startTime} /> },
        { label: t('Result'), from: 'sm', cell: outcomeOf },
      ]}
    >
      {choice}
    </ResourceList>
  );
}

const dayMs = 86_400_000;
const hourMs = 3_600_000;
const usualDays = 28;

/** Results of the split that the deployment file declares. */
function Split() {
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
  const { data, error, refetch } = useRead(
    ExperimentService.method.readExperiment,
    { dimension, startTime },
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
          <OverTime reading={data} period={{ dimension, ...interval }} />
        </Results>
      )}
    </>
  );
}

function intervalOf(days: number) {
  const toMs = Math.ceil(Date.now() / hourMs) * hourMs;
  return { fromMs: toMs - days * dayMs, toMs };
}
