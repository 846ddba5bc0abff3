import { useMutation, useQuery } from '@connectrpc/connect-query';
import { Alert, Badge, Button, Group, Modal, Paper, Progress, Table, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { BrainCircuit } from 'lucide-react';
import { type Training, TrainingState } from '../../../gen/es/personalisation/v1/training_pb.js';
import { TrainingService } from '../../../gen/es/personalisation/v1/training_service_pb.js';
import { Empty } from '../kit/empty.tsx';
import { ErrorNotice } from '../kit/error-notice.tsx';
import { formatAgo, formatChange, formatCount, formatMoment } from '../kit/format.ts';
import { PageFrame, PageSkeleton } from '../kit/page.tsx';
import { momentOf } from '../kit/timestamp.ts';
import { useConsole } from '../service/console-context.ts';
import { reasonWords, stageWords, stateMarks, text } from './text.ts';

const busyMs = 1_000;
const idleMs = 15_000;
const shownCount = 50;

const isUnderWay = ({ state }: Training) => state === TrainingState.QUEUED || state === TrainingState.RUNNING;

/** Trainings: what runs, what came of each, and the way back. */
export function Page() {
  const { environment } = useConsole();
  const { data, error, refetch } = useQuery(
    TrainingService.method.listTrainings,
    { environment: environment.name, pageSize: shownCount },
    { refetchInterval: (query) => (query.state.data?.trainings.some(isUnderWay) ? busyMs : idleMs) },
  );
  if (error) return <ErrorNotice error={error} onRetry={refetch} />;
  if (!data) return <PageSkeleton />;
  return (
    <PageFrame
      title={text.title}
      lead={text.lead(data.servedVersion)}
      actions={<Actions servedVersion={data.servedVersion} isBusy={data.trainings.some(isUnderWay)} />}
    >
      {data.held && (
        <Alert color="orange" variant="light" mb="lg">
          {text.held}
        </Alert>
      )}
      <Paper style={{ overflow: 'hidden' }}>
        {data.trainings.length === 0 ? (
          <Empty icon={BrainCircuit} title={text.none}>
            {text.noneLead}
          </Empty>
        ) : (
          <Table.ScrollContainer minWidth={760} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
            <Table>
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>State</Table.Th>
                  <Table.Th>When</Table.Th>
                  <Table.Th>Why</Table.Th>
                  <Table.Th ta="end">Read</Table.Th>
                  <Table.Th>Quality</Table.Th>
                  <Table.Th>What came of it</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {data.trainings.map((training) => (
                  <TrainingRow
                    key={training.trainingId}
                    training={training}
                    isServed={training.version > 0 && training.version === data.servedVersion}
                  />
                ))}
              </Table.Tbody>
            </Table>
          </Table.ScrollContainer>
        )}
      </Paper>
    </PageFrame>
  );
}

function TrainingRow({ training, isServed }: { training: Training; isServed: boolean }) {
  const mark = stateMarks[training.state];
  const asked = momentOf(training.requestTime);
  return (
    <Table.Tr>
      <Table.Td>
        <Group gap={4} wrap="nowrap">
          <Badge variant="light" color={mark?.color} tt="none">
            {mark?.label}
          </Badge>
          {isServed && (
            <Badge variant="light" tt="none">
              in use
            </Badge>
          )}
        </Group>
      </Table.Td>
      <Table.Td title={asked && formatMoment(asked)} style={{ whiteSpace: 'nowrap' }}>
        {asked && formatAgo(asked)}
      </Table.Td>
      <Table.Td>{reasonWords[training.reason]}</Table.Td>
      <Table.Td ta="end" className="numbers">
        {formatCount(training.eventCount)} events
      </Table.Td>
      <Table.Td>
        <Quality training={training} />
      </Table.Td>
      <Table.Td miw={220}>
        {isUnderWay(training) ? (
          <>
            <Text size="xs">{stageWords(training.stage)}</Text>
            <Progress value={100 * training.progress} mt={4} aria-label="Progress of the training" />
          </>
        ) : (
          <Text size="sm">{training.decision}</Text>
        )}
      </Table.Td>
    </Table.Tr>
  );
}

/** NDCG@20 of what was trained against what was in use, on the same questions. */
function Quality({ training: { comparison } }: { training: Training }) {
  if (!comparison) return <span className="quiet">–</span>;
  const { quality, servedQuality, questionCount } = comparison;
  const change = servedQuality === 0 ? 0 : quality / servedQuality - 1;
  return (
    <div title={text.qualityTitle(formatCount(questionCount))}>
      <Text size="sm" className="numbers" span>
        {quality.toFixed(3)}
      </Text>
      {Math.abs(change) >= 0.0005 && (
        <Text size="xs" span ms={6} c={change > 0 ? 'var(--up)' : 'var(--down)'} className="numbers">
          {formatChange(change)}
        </Text>
      )}
    </div>
  );
}

function Actions({ servedVersion, isBusy }: { servedVersion: number; isBusy: boolean }) {
  const { environment } = useConsole();
  const queryClient = useQueryClient();
  const [isAsking, asking] = useDisclosure(false);
  const after = { onSettled: () => queryClient.invalidateQueries() };
  const train = useMutation(TrainingService.method.trainModels, after);
  const rollBack = useMutation(TrainingService.method.rollBackModels, {
    ...after,
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
