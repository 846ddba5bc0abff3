import { useInfiniteQuery, useMutation } from '@connectrpc/connect-query';
import { Alert, Box, Button, Group, Modal, Paper, Progress, Table, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { BrainCircuit } from 'lucide-react';
import { Link } from 'wouter';
import type { Training } from '../../../gen/es/personalisation/v1/training_pb.js';
import { TrainingService } from '../../../gen/es/personalisation/v1/training_service_pb.js';
import { Empty } from '../kit/empty.tsx';
import { ErrorNotice } from '../kit/error-notice.tsx';
import { formatAgo, formatCount, formatMoment } from '../kit/format.ts';
import { MoreButton } from '../kit/more-button.tsx';
import { PageFrame, PageSkeleton } from '../kit/page.tsx';
import { useRefresh } from '../kit/refresh.ts';
import { momentOf } from '../kit/timestamp.ts';
import { useConsole } from '../service/console-context.ts';
import { isUnderWay, Quality, StateMarks } from './marks.tsx';
import { reasonWords, stageWords, text } from './text.ts';

const busyMs = 1_000;
const idleMs = 15_000;
const shownAtOnce = 50;

/** Trainings: what runs, what came of each, and the way back. */
export function TrainingList() {
  const { environment } = useConsole();
  const pages = useInfiniteQuery(
    TrainingService.method.listTrainings,
    { environment: environment.name, pageSize: shownAtOnce, pageToken: '' },
    {
      pageParamKey: 'pageToken',
      getNextPageParam: ({ nextPageToken }) => nextPageToken || undefined,
      /** What is under way is among the newest. */
      refetchInterval: ({ state }) => (state.data?.pages[0].trainings.some(isUnderWay) ? busyMs : idleMs),
    },
  );
  const { data, error, refetch } = pages;
  if (!data) return error ? <ErrorNotice error={error} onRetry={refetch} /> : <PageSkeleton />;
  const { servedVersion, held } = data.pages[0];
  const trainings = data.pages.flatMap((page) => page.trainings);
  return (
    <PageFrame
      title={text.title}
      lead={text.lead(servedVersion)}
      actions={<Actions servedVersion={servedVersion} isBusy={trainings.some(isUnderWay)} />}
    >
      {error && <ErrorNotice error={error} onRetry={refetch} />}
      {held && (
        <Alert color="orange" variant="light" mb="lg">
          {text.held}
        </Alert>
      )}
      <Paper style={{ overflow: 'hidden' }}>
        {trainings.length === 0 ? (
          <Empty icon={BrainCircuit} title={text.none}>
            {text.noneLead}
          </Empty>
        ) : (
          <Table>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>State</Table.Th>
                <Table.Th>When</Table.Th>
                <Table.Th visibleFrom="sm">Why</Table.Th>
                <Table.Th ta="end" visibleFrom="sm">
                  Events read
                </Table.Th>
                <Table.Th>Quality</Table.Th>
                <Table.Th visibleFrom="sm">What came of it</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {trainings.map((training) => (
                <TrainingRow
                  key={training.trainingId}
                  training={training}
                  isServed={training.version > 0 && training.version === servedVersion}
                />
              ))}
            </Table.Tbody>
          </Table>
        )}
      </Paper>
      <MoreButton pages={pages} label={text.more} />
    </PageFrame>
  );
}

function TrainingRow({ training, isServed }: { training: Training; isServed: boolean }) {
  const { pathTo } = useConsole();
  const asked = momentOf(training.requestTime);
  return (
    <Table.Tr>
      <Table.Td>
        <StateMarks training={training} isServed={isServed} />
      </Table.Td>
      <Table.Td title={asked && formatMoment(asked)} style={{ whiteSpace: 'nowrap' }}>
        <Link className="row-link" href={pathTo(`models/${training.trainingId}`)}>
          {asked ? formatAgo(asked) : training.trainingId}
        </Link>
        <Box hiddenFrom="sm" style={{ whiteSpace: 'normal' }}>
          <Outcome training={training} />
        </Box>
      </Table.Td>
      <Table.Td visibleFrom="sm">{reasonWords[training.reason]}</Table.Td>
      <Table.Td ta="end" className="numbers" visibleFrom="sm">
        {formatCount(training.eventCount)}
      </Table.Td>
      <Table.Td>
        <Quality comparison={training.comparison} />
      </Table.Td>
      <Table.Td miw={160} visibleFrom="sm">
        <Outcome training={training} />
      </Table.Td>
    </Table.Tr>
  );
}

function Outcome({ training }: { training: Training }) {
  if (!isUnderWay(training)) return <Text size="sm">{training.decision}</Text>;
  return (
    <>
      <Text size="xs">{stageWords(training.stage)}</Text>
      <Progress value={100 * training.progress} mt={4} aria-label="Progress of the training" />
    </>
  );
}

function Actions({ servedVersion, isBusy }: { servedVersion: number; isBusy: boolean }) {
  const { environment } = useConsole();
  const refresh = useRefresh();
  const [isAsking, asking] = useDisclosure(false);
  const train = useMutation(TrainingService.method.trainModels, refresh);
  const rollBack = useMutation(TrainingService.method.rollBackModels, {
    ...refresh,
    onSuccess: asking.close,
  });
  const request = { environment: environment.name };
  return (
    <>
      <Button variant="default" disabled={servedVersion < 2} onClick={asking.open}>
        {text.rollBack}
      </Button>
      <Button loading={train.isPending} disabled={isBusy} onClick={() => train.mutate(request)}>
        {text.train}
      </Button>
      <Modal
        opened={isAsking}
        onClose={asking.close}
        title={<Text fw={600}>{text.rollBackTitle(servedVersion)}</Text>}
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <Text size="sm">{text.rollBackLead}</Text>
        {rollBack.error && <ErrorNotice error={rollBack.error} />}
        <Group justify="flex-end" mt="md">
          <Button variant="default" onClick={asking.close}>
            Cancel
          </Button>
          <Button loading={rollBack.isPending} onClick={() => rollBack.mutate(request)}>
            {text.rollBack}
          </Button>
        </Group>
      </Modal>
    </>
  );
}
