import { useInfiniteQuery } from '@connectrpc/connect-query';
import { Link } from 'wouter';
import { ExperimentService } from '../../../gen/es/personalisation/v1/experiment_service_pb.js';
import { ViewSwitch } from '../kit/fields.tsx';
import { momentOf } from '../kit/format.ts';
import { FlaskConical } from '../kit/icons.ts';
import { PageFrame } from '../kit/page.tsx';
import { byPageToken } from '../kit/queries.ts';
import { Ago, ResourceList } from '../kit/table.tsx';
import { useAddress } from '../service/address.ts';
import { useConsole } from '../service/console-context.ts';
import { t } from '../texts/texts.ts';
import { Split } from './split.tsx';
import { outcomeOf, StateBadge } from './states.tsx';

const views = [
  { value: 'experiments', label: t('Experiments') },
  { value: 'split', label: t('Split of the deployment') },
];

const text = {
  title: t('Experiments'),
  lead: t('Variants compared with a control. The intervals stay valid however often you look.'),
  create: t('New experiment'),
  none: t('No experiment yet'),
  noneLead: t('Compare versions of a rule set or weights of models on a part of the traffic.'),
};

/** The stored experiments, and the split that the deployment file declares. */
export function ExperimentList() {
  const { environment, pathTo, mayChange } = useConsole();
  const hasSplit = environment.versions.length > 1 || environment.userGroups.length > 1;
  const showsSplit = useAddress<'view'>().values.view === 'split' && hasSplit;
  const pages = useInfiniteQuery(
    ExperimentService.method.listExperiments,
    { environment: environment.name, pageToken: '' },
    { ...byPageToken, enabled: !showsSplit },
  );
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
      createPath={mayChange('configurations') ? pathTo('experiments/new') : undefined}
      pages={pages}
      rows={pages.data?.pages.flatMap(({ experiments }) => experiments)}
      keyOf={({ experimentId = '' }) => experimentId}
      columns={[
        {
          label: t('Experiment'),
          cell: ({ experimentId }) => (
            <Link href={pathTo(`experiments/${experimentId}`)} className="row-link">
              <bdi>{experimentId}</bdi>
            </Link>
          ),
        },
        { label: t('State'), cell: (experiment) => <StateBadge experiment={experiment} /> },
        {
          label: t('Variants'),
          from: 'sm',
          cell: ({ variants }) => variants.map(({ name }) => name).join(', '),
        },
        {
          label: t('Started'),
          from: 'sm',
          isQuiet: true,
          cell: ({ startTime }) => <Ago time={momentOf(startTime)} />,
        },
        { label: t('Result'), from: 'sm', cell: outcomeOf },
      ]}
    >
      {choice}
    </ResourceList>
  );
}
