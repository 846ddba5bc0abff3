import { Code, ConnectError } from '@connectrpc/connect';
import { useMutation, useQuery } from '@connectrpc/connect-query';
import { Alert, Anchor, Button, Group, Modal, Paper, SimpleGrid, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation as useTask } from '@tanstack/react-query';
import { Download, MailX } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'wouter';
import { type Batch, BatchState } from '../../../gen/es/personalisation/v1/batch_pb.js';
import { BatchService } from '../../../gen/es/personalisation/v1/batch_service_pb.js';
import { Empty } from '../kit/empty.tsx';
import { ErrorNotice } from '../kit/error-notice.tsx';
import { formatAgo, formatCount, formatMoment } from '../kit/format.ts';
import { PageFrame, PageSkeleton } from '../kit/page.tsx';
import { momentOf } from '../kit/timestamp.ts';
import { useConsole } from '../service/console-context.ts';
import { draftAddress } from './draft.ts';
import { FirstPeople } from './first-people.tsx';
import { Advance, batchWords, isUnderWay, StateMark, watchMs } from './marks.tsx';
import { type Format, saveResults } from './results.ts';
import { text } from './text.ts';

/** One batch: how far it is, its results, its end. */
export function BatchPage({ batchId }: { batchId: string }) {
  const { environment, pathTo } = useConsole();
  const { data, error, refetch } = useQuery(
    BatchService.method.getBatch,
    { environment: environment.name, batchId },
    {
      refetchInterval: ({ state }) => (state.data?.batch && isUnderWay(state.data.batch) ? watchMs : false),
    },
  );
  const overview = (
    <Anchor component={Link} href={pathTo('batches')} size="sm" underline="always">
      {text.title}
    </Anchor>
  );
  if (error && ConnectError.from(error).code === Code.NotFound)
    return (
      <Empty icon={MailX} title={text.gone}>
        {text.goneLead} {overview}
      </Empty>
    );
  if (!data?.batch) return error ? <ErrorNotice error={error} onRetry={refetch} /> : <PageSkeleton />;
  const { batch } = data;
  return (
    <PageFrame
      title={
        <Group gap="sm" component="span">
          <bdi>{batchWords(batch)}</bdi>
          <StateMark batch={batch} />
        </Group>
      }
      lead={
        <>
          {overview} / <span className="mark">{batchId}</span>
        </>
      }
      actions={<Actions batch={batch} onChange={() => refetch()} />}
    >
      <Stack gap="lg">
        {error && <ErrorNotice error={error} onRetry={refetch} />}
        {batch.state === BatchState.FAILED && (
          <Alert color="red" variant="light" role="alert">
            {batch.failure}
          </Alert>
        )}
        <Figures batch={batch} />
        <FirstPeople batch={batch} />
      </Stack>
    </PageFrame>
  );
}

function Figures({ batch }: { batch: Batch }) {
  const [asked, ended, expires] = [batch.requestTime, batch.endTime, batch.expiresAt].map(momentOf);
  const tiles = [
    [formatCount(batch.peopleCount), text.people],
    [formatCount(batch.answeredCount), text.answered],
    ended ? [formatAgo(ended), text.ended] : [asked ? formatAgo(asked) : '–', text.asked],
    [expires ? formatMoment(expires) : '–', text.kept],
  ];
  return (
    <Paper p="md">
      <Advance batch={batch} size="md" />
      {batch.state === BatchState.QUEUED && (
        <Text size="xs" className="quiet" mt="xs">
          {text.queuedLead}
        </Text>
      )}
      <SimpleGrid cols={{ base: 2, sm: 4 }} mt="md">
        {tiles.map(([value, label]) => (
          <div key={label}>
            <Text fz={18} fw={600} className="numbers">
              {value}
            </Text>
            <Text size="sm" className="quiet">
              {label}
            </Text>
          </div>
        ))}
      </SimpleGrid>
    </Paper>
  );
}

function Actions({ batch, onChange }: { batch: Batch; onChange(): void }) {
  const { pathTo } = useConsole();
  const [isAsking, asking] = useDisclosure(false);
  return (
    <>
      {isUnderWay(batch) && (
        <Button variant="default" onClick={asking.open}>
          {text.cancel}
        </Button>
      )}
      {batch.request && (
        <Button component={Link} href={pathTo(draftAddress(batch.request))} variant="default">
          {text.again}
        </Button>
      )}
      <Downloads batch={batch} />
      <Modal
        opened={isAsking}
        onClose={asking.close}
        title={<Text fw={600}>{text.cancelTitle}</Text>}
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <CancelForm
          batch={batch}
          onClose={() => {
            asking.close();
            onChange();
          }}
        />
      </Modal>
    </>
  );
}

function CancelForm({ batch, onClose }: { batch: Batch; onClose(): void }) {
  const { environment } = useConsole();
  const cancel = useMutation(BatchService.method.cancelBatch, { onSuccess: onClose });
  return (
    <>
      <Text size="sm">{text.cancelLead}</Text>
      {cancel.error && <ErrorNotice error={cancel.error} />}
      <Group justify="flex-end" mt="md">
        <Button variant="default" onClick={onClose}>
          {text.keep}
        </Button>
        <Button
          color="red.8"
          loading={cancel.isPending}
          onClick={() => cancel.mutate({ environment: environment.name, batchId: batch.batchId })}
        >
          {text.cancel}
        </Button>
      </Group>
    </>
  );
}

function Downloads({ batch }: { batch: Batch }) {
  const { connection, environment } = useConsole();
  const [lineCount, setLineCount] = useState(0);
  const save = useTask({
    mutationFn: (format: Format) =>
      saveResults(
        connection,
        { environment: environment.name, batchId: batch.batchId, format },
        setLineCount,
      ),
  });
  return (
    <>
      {(['csv', 'ndjson'] as const).map((format) => (
        <Button
          key={format}
          variant={format === 'csv' ? 'filled' : 'default'}
          leftSection={<Download size={15} aria-hidden />}
          disabled={batch.answeredCount === 0 || save.isPending}
          onClick={() => save.mutate(format)}
        >
          {save.isPending && save.variables === format ? formatCount(lineCount) : text[format]}
        </Button>
      ))}
      {save.error && <ErrorNotice error={save.error} />}
    </>
  );
}
