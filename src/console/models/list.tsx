import { useInfiniteQuery, useMutation } from '@connectrpc/connect-query';
import { Alert, Box, Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Link } from 'wouter';
import type { Training } from '../../../gen/es/personalisation/v1/training_pb.js';
import { TrainingService } from '../../../gen/es/personalisation/v1/training_service_pb.js';
import { formatCount, momentOf } from '../kit/format.ts';
import { BrainCircuit } from '../kit/icons.ts';
import { Empty, ErrorNotice, PageFrame, PageSkeleton } from '../kit/page.tsx';
import { byPageToken, useRefresh } from '../kit/queries.ts';
import { Ago, type Column, DataTable, MoreButton, TablePaper } from '../kit/table.tsx';
import { useConsole } from '../service/console-context.ts';
import { t } from '../texts/texts.ts';
import { Restore, RestoreDialog } from './restore.tsx';
import { isUnderWay, Quality, Result, StateBadges, triggers } from './states.tsx';

const busyMs = 1_000;
const idleMs = 15_000;
const pageSize = 50;

/** Trainings with their results, and the rollback. */
export function TrainingList() {
  const { environment } = useConsole();
  const pages = useInfiniteQuery(
    TrainingService.method.listTrainings,
    { environment: environment.name, pageSize, pageToken: '' },
    {
      ...byPageToken,
      /** A running training is among the newest. */
      refetchInterval: ({ state }) => (state.data?.pages[0].trainings.some(isUnderWay) ? busyMs : idleMs),
    },
  );
  const { data, error, refetch } = pages;
  if (!data) return error ? <ErrorNotice error={error} onRetry={refetch} /> : <PageSkeleton />;
  const { servedVersion, held } = data.pages[0];
  const trainings = data.pages.flatMap((page) => page.trainings);
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
      {error && <ErrorNotice error={error} onRetry={refetch} />}
      {held && (
        <Alert color="orange" mb="lg">
          {t(
            'The models were rolled back to this version. Automatic training is paused until you train again.',
          )}
        </Alert>
      )}
      <TablePaper>
        {trainings.length === 0 ? (
          <Empty icon={BrainCircuit} title={t('No training yet')}>
            {t('The first training starts with the first events.')}
          </Empty>
        ) : (
          <TrainingTable trainings={trainings} servedVersion={servedVersion} />
        )}
      </TablePaper>
      <MoreButton pages={pages} />
    </PageFrame>
  );
}

type TrainingTableProps = { trainings: readonly Training[]; servedVersion: number };

function TrainingTable({ trainings, servedVersion }: TrainingTableProps) {
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
            {training.requestTime ? <Ago time={momentOf(training.requestTime)} /> : training.trainingId}
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
  return <DataTable rows={trainings} keyOf={({ trainingId }) => trainingId} columns={columns} />;
}

function Actions({ servedVersion, isBusy }: { servedVersion: number; isBusy: boolean }) {
  const { environment } = useConsole();
  const [isAsking, asking] = useDisclosure(false);
  const train = useMutation(TrainingService.method.trainModels, useRefresh());
  return (
    <>
      <Button variant="default" disabled={servedVersion < 2} onClick={asking.open}>
        {t('Roll back')}
      </Button>
      <Button
        loading={train.isPending}
        disabled={isBusy}
        onClick={() => train.mutate({ environment: environment.name })}
      >
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
