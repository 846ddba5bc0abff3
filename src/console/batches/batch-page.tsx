import { createClient } from '@connectrpc/connect';
import { Alert, Box, Button, Group, Paper, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery, useMutation as useTask } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { Link } from 'wouter';
import { type Batch, type BatchResult, BatchState } from '../../../gen/es/personalisation/v1/batch_pb.js';
import { BatchService } from '../../../gen/es/personalisation/v1/batch_service_pb.js';
import { ChangeDialog } from '../kit/dialog.tsx';
import { saveText } from '../kit/files.ts';
import { formatAgo, formatCount, formatMoment, momentOf } from '../kit/format.ts';
import { Download } from '../kit/icons.ts';
import { type ItemLookup, useItems } from '../kit/items.ts';
import { ErrorNotice, Hint, PageFrame, PageLink, RowLink, Section, Unread } from '../kit/page.tsx';
import { isNotFound, useRead } from '../kit/queries.ts';
import { type FigureTile, FigureTiles } from '../kit/table.tsx';
import { useConsole } from '../service/console-context.ts';
import { rich } from '../texts/rich-text.ts';
import { t } from '../texts/texts.ts';
import { draftAddress } from './draft.ts';
import { BatchProgress, batchWords, busyMs, isUnderWay, StateBadge } from './states.tsx';

const toAll = <PageLink to="batches">{t('Batches')}</PageLink>;

/** One batch: progress, sample, downloads, and cancelling. */
export function BatchPage({ batchId }: { batchId: string }) {
  const { data, error, refetch } = useRead(
    BatchService.method.getBatch,
    { batchId },
    { refetchInterval: ({ state }) => (state.data?.batch && isUnderWay(state.data.batch) ? busyMs : false) },
  );
  if (!data?.batch || isNotFound(error))
    return (
      <Unread error={error} onRetry={refetch} missing={t('Batch not found')}>
        {rich('Batches are deleted some days after their end. {toAll}', { toAll })}
      </Unread>
    );
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
          {isUnderWay(batch) && <CancelButton batch={batch} />}
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

function CancelButton({ batch: { batchId } }: { batch: Batch }) {
  const { environment } = useConsole();
  const [isAsking, asking] = useDisclosure(false);
  return (
    <>
      <Button onClick={asking.open}>{t('Cancel')}</Button>
      <ChangeDialog
        isOpen={isAsking}
        title={t('Cancel this batch?')}
        confirm={t('Cancel batch')}
        cancel={t('Keep running')}
        method={BatchService.method.cancelBatch}
        request={{ environment: environment.name, batchId }}
        onClose={asking.close}
      >
        {t('No more lists are created. Finished lists stay available for download.')}
      </ChangeDialog>
    </>
  );
}

function Duplicate({ batch: { request } }: { batch: Batch }) {
  const { pathTo } = useConsole();
  if (!request) return null;
  return (
    <Button component={Link} href={pathTo(draftAddress(request))}>
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
          leftSection={<Download size={15} />}
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

const mostPeople = 5;
const mostItems = 6;

/** Lists of the first people, to check before the download. */
function Sample({ batch: { batchId, answeredCount } }: { batch: Batch }) {
  const { connection, environment } = useConsole();
  const shown = Math.min(answeredCount, mostPeople);
  const { data = [], error } = useQuery({
    queryKey: ['batch results', environment.name, batchId, shown],
    enabled: shown > 0,
    async queryFn() {
      const client = createClient(BatchService, connection.transport);
      const of = { environment: environment.name, batchId, limit: mostPeople };
      const results: BatchResult[] = [];
      for await (const part of client.exportBatchResults(of)) results.push(...part.results);
      return results;
    },
  });
  const ids = useMemo(() => {
    const lists = data.flatMap((result) => result.lists);
    return lists.flatMap(({ items }) => items.slice(0, mostItems).map(({ itemId }) => itemId));
  }, [data]);
  const lookUp = useItems(ids);
  return (
    <Section title={t('First people')} lead={t('Without items that have become unavailable since.')}>
      {error && <ErrorNotice error={error} />}
      {answeredCount === 0 && <Text size="sm">{t('No lists generated yet.')}</Text>}
      <Stack gap="md">
        {data.map((result) => (
          <Lists key={result.offset} result={result} lookUp={lookUp} />
        ))}
      </Stack>
    </Section>
  );
}

function Lists({ result, lookUp }: { result: BatchResult; lookUp: ItemLookup }) {
  const { userId, deviceId = '', lists } = result;
  const id = userId ?? deviceId;
  const person = `people?kind=${userId ? 'user' : 'device'}&id=${encodeURIComponent(id)}`;
  return (
    <Box miw={0}>
      <Text size="sm" fw={500}>
        <RowLink to={person} area="users">
          {id}
        </RowLink>
      </Text>
      {lists.map(({ listName, items }) => (
        <Text key={listName} size="sm" className="quiet" style={{ overflowWrap: 'anywhere' }}>
          <bdi>{listName}</bdi>:{' '}
          {items.slice(0, mostItems).map(({ itemId }, index) => (
            <span key={itemId}>
              {index > 0 && ' · '}
              <bdi>{lookUp({ itemId })?.title ?? itemId}</bdi>
            </span>
          ))}
          {items.length > mostItems && ' …'}
        </Text>
      ))}
    </Box>
  );
}
