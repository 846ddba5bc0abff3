import { Alert, Box, Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Link, Route, Switch } from 'wouter';
import type { Training } from '../../../gen/es/personalisation/v1/training_pb.js';
import { TrainingService } from '../../../gen/es/personalisation/v1/training_service_pb.js';
import { formatCount } from '../kit/format.ts';
import { BrainCircuit } from '../kit/icons.ts';
import { Empty, PageFrame, Unread } from '../kit/page.tsx';
import { useChange, usePages } from '../kit/queries.ts';
import { Ago, type Column, PagedTable, type PagedTableProps } from '../kit/table.tsx';
import { useConsole } from '../service/console-context.ts';
import { t } from '../texts/texts.ts';
import { isUnderWay, Quality, Restore, RestoreDialog, Result, StateBadges, triggers } from './states.tsx';
import { TrainingPage } from './training-page.tsx';

export function Page() {
  return (
    <Switch>
      <Route path="/:environment/models/:id">
        {({ id }) => <TrainingPage key={id} trainingId={decodeURIComponent(id)} />}
      </Route>
      <Route>
        <TrainingList />
      </Route>
    </Switch>
  );
}

const busyMs = 1_000;
const idleMs = 15_000;
const pageSize = 50;

/** Trainings with their results, and the rollback. */
function TrainingList() {
  const pages = usePages(TrainingService.method.listTrainings, { pageSize }, (page) => page.trainings, {
    refreshMs: (rows) => (rows.some(isUnderWay) ? busyMs : idleMs),
  });
  const { data, rows: trainings, error, refetch } = pages;
  if (!data || !trainings) return <Unread error={error} onRetry={refetch} />;
  const { servedVersion, held } = data.pages[0];
  return (
    <PageFrame
      title={t('Models')}
      lead={
        servedVersion === 0
          ? t('A quick start-up training is live; the first full training replaces it.')
          : t(
              'Version {servedVersion} is live. Models retrain automatically; a version goes live only if it is not worse.',
              { servedVersion },
            )
      }
      actions={<Actions servedVersion={servedVersion} isBusy={trainings.some(isUnderWay)} />}
    >
      {held && (
        <Alert color="orange" mb="lg">
          {t(
            'The models were rolled back to this version. Automatic training is paused until you train again.',
          )}
        </Alert>
      )}
      <TrainingTable pages={pages} servedVersion={servedVersion} />
    </PageFrame>
  );
}

type TrainingTableProps = Pick<PagedTableProps<Training>, 'pages'> & { servedVersion: number };

function TrainingTable({ pages, servedVersion }: TrainingTableProps) {
  const { pathTo } = useConsole();
  const columns: Column<Training>[] = [
    {
      label: t('State'),
      cell: (training) => (
        <StateBadges
          training={training}
          isServed={training.version > 0 && training.version === servedVersion}
        />
      ),
    },
    {
      label: t('Requested'),
      cell: (training) => (
        <>
          <Link className="row-link" href={pathTo(`models/${training.trainingId}`)}>
            {training.requestTime ? <Ago time={training.requestTime} /> : training.trainingId}
          </Link>
          <Box hiddenFrom="sm">
            <Result training={training} />
          </Box>
        </>
      ),
    },
    { label: t('Trigger'), from: 'sm', cell: ({ reason }) => triggers[reason] },
    {
      label: t('Events read'),
      isNumber: true,
      from: 'sm',
      cell: ({ eventCount }) => formatCount(eventCount),
    },
    { label: t('Quality'), cell: ({ comparison }) => <Quality comparison={comparison} /> },
    { label: t('Result'), from: 'sm', cell: (training) => <Result training={training} /> },
    { label: t('Restore'), isActions: true, cell: (training) => <Restore training={training} /> },
  ];
  return (
    <PagedTable
      pages={pages}
      keyOf={({ trainingId }) => trainingId}
      columns={columns}
      empty={
        <Empty icon={BrainCircuit} title={t('No training yet')}>
          {t('The first training starts with the first events.')}
        </Empty>
      }
    />
  );
}

function Actions({ servedVersion, isBusy }: { servedVersion: number; isBusy: boolean }) {
  const [isAsking, asking] = useDisclosure(false);
  const train = useChange(TrainingService.method.trainModels);
  return (
    <>
      <Button disabled={servedVersion < 2} onClick={asking.open}>
        {t('Roll back')}
      </Button>
      <Button variant="filled" loading={train.isPending} disabled={isBusy} onClick={() => train.mutate({})}>
        {t('Train now')}
      </Button>
      <RestoreDialog
        isOpen={isAsking}
        title={t('Roll back to the models before version {servedVersion}?', { servedVersion })}
        onClose={asking.close}
      />
    </>
  );
}
