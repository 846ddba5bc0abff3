import { createClient } from '@connectrpc/connect';
import { useMutation, useQuery } from '@connectrpc/connect-query';
import { Alert, Button, Group, Paper, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation as useTask } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { type Batch, BatchState } from '../../../gen/es/personalisation/v1/batch_pb.js';
import { BatchService } from '../../../gen/es/personalisation/v1/batch_service_pb.js';
import { ConfirmDialog } from '../kit/dialog.tsx';
import { saveText } from '../kit/files.ts';
import { formatAgo, formatCount, formatMoment, momentOf } from '../kit/format.ts';
import { Download, MailX } from '../kit/icons.ts';
import { Empty, ErrorNotice, Hint, PageFrame, PageLink, PageSkeleton } from '../kit/page.tsx';
import { isNotFound } from '../kit/queries.ts';
import { type FigureTile, FigureTiles } from '../kit/table.tsx';
import { useConsole } from '../service/console-context.ts';
import { rich } from '../texts/rich-text.ts';
import { t } from '../texts/texts.ts';
import { draftAddress } from './draft.ts';
import { Sample } from './sample.tsx';
import { BatchProgress, batchWords, busyMs, isUnderWay, StateBadge } from './states.tsx';

const toAll = <PageLink to="batches">{t('Batches')}</PageLink>;

/** One batch: progress, sample, downloads, and cancelling. */
export function BatchPage({ batchId }: { batchId: string }) {
  const { environment } = useConsole();
  const { data, error, refetch } = useQuery(
    BatchService.method.getBatch,
    { environment: environment.name, batchId },
    {
      refetchInterval: ({ state }) => (state.data?.batch && isUnderWay(state.data.batch) ? busyMs : false),
    },
  );
  if (isNotFound(error))
    return (
      <Empty icon={MailX} title={t('Batch not found')}>
        {rich('Batches are deleted some days after their end. {toAll}', { toAll })}
      </Empty>
    );
  if (!data?.batch) return error ? <ErrorNotice error={error} onRetry={refetch} /> : <PageSkeleton />;
  const { batch } = data;
  return (
    <PageFrame
      title={
        <Group gap="sm" component="span">
          <bdi>{batchWords(batch)}</bdi>
          <StateBadge batch={batch} />
        </Group>
      }
      lead={
        <>
          {toAll} / <span className="mark">{batchId}</span>
        </>
      }
      actions={
        <>
          {isUnderWay(batch) && <CancelButton batch={batch} onCancelled={() => refetch()} />}
          <Duplicate batch={batch} />
          <Downloads batch={batch} />
        </>
      }
    >
      <Stack gap="lg">
        {error && <ErrorNotice error={error} onRetry={refetch} />}
        {batch.state === BatchState.FAILED && (
          <Alert color="red" role="alert">
            {batch.failure}
          </Alert>
        )}
        <Figures batch={batch} />
        <Sample batch={batch} />
      </Stack>
    </PageFrame>
  );
}

function Figures({ batch }: { batch: Batch }) {
  const [requested, ended, expires] = [batch.requestTime, batch.endTime, batch.expiresAt].map(momentOf);
  const tiles: FigureTile[] = [
    [formatCount(batch.peopleCount), t('People')],
    [formatCount(batch.answeredCount), t('Lists created')],
    ended ? [formatAgo(ended), t('Ended')] : [requested ? formatAgo(requested) : '–', t('Requested')],
    [expires ? formatMoment(expires) : '–', t('Kept until')],
  ];
  return (
    <>
      <Paper p="md">
        <BatchProgress batch={batch} size="md" />
        {batch.state === BatchState.QUEUED && <Hint mt="xs">{t('Waiting for a node.')}</Hint>}
      </Paper>
      <FigureTiles tiles={tiles} />
    </>
  );
}

function CancelButton({ batch, onCancelled }: { batch: Batch; onCancelled(): void }) {
  const { environment } = useConsole();
  const [isAsking, asking] = useDisclosure(false);
  const cancel = useMutation(BatchService.method.cancelBatch, {
    onSuccess() {
      asking.close();
      onCancelled();
    },
  });
  return (
    <>
      <Button variant="default" onClick={asking.open}>
        {t('Cancel')}
      </Button>
      <ConfirmDialog
        isOpen={isAsking}
        title={t('Cancel this batch?')}
        confirm={t('Cancel batch')}
        cancel={t('Keep running')}
        mutation={cancel}
        onConfirm={() => cancel.mutate({ environment: environment.name, batchId: batch.batchId })}
        onClose={asking.close}
      >
        {t('No more lists are created. Finished lists stay available for download.')}
      </ConfirmDialog>
    </>
  );
}

function Duplicate({ batch: { request } }: { batch: Batch }) {
  const { pathTo } = useConsole();
  if (!request) return null;
  return (
    <Button component={Link} href={pathTo(draftAddress(request))} variant="default">
      {t('Duplicate')}
    </Button>
  );
}

const formats = {
  csv: { label: 'CSV', type: 'text/csv', lineEnd: '\r\n' },
  ndjson: { label: 'NDJSON', type: 'application/x-ndjson', lineEnd: '\n' },
};

type Format = keyof typeof formats;

function Downloads({ batch: { batchId, answeredCount } }: { batch: Batch }) {
  const { connection, environment } = useConsole();
  const [lineCount, setLineCount] = useState(0);
  const client = createClient(BatchService, connection.transport);
  const save = useTask({
    async mutationFn(format: Format) {
      const { type, lineEnd } = formats[format];
      const parts: string[] = [];
      let count = 0;
      for await (const { lines } of client.exportBatchResults({
        environment: environment.name,
        batchId,
        format,
      })) {
        if (lines.length > 0) parts.push(lines.join(lineEnd) + lineEnd);
        count += lines.length;
        setLineCount(count);
      }
      saveText(`batch-${batchId}.${format}`, parts, type);
    },
  });
  return (
    <>
      {(['csv', 'ndjson'] as const).map((format) => (
        <Button
          key={format}
          variant={format === 'csv' ? 'filled' : 'default'}
          leftSection={<Download size={15} aria-hidden />}
          disabled={answeredCount === 0 || save.isPending}
          onClick={() => save.mutate(format)}
        >
          {save.isPending && save.variables === format ? formatCount(lineCount) : formats[format].label}
        </Button>
      ))}
      {save.error && <ErrorNotice error={save.error} />}
    </>
  );
}
