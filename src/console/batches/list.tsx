import { useInfiniteQuery } from '@connectrpc/connect-query';
import { Button, Paper, Table, Text } from '@mantine/core';
import { Mails, Plus } from 'lucide-react';
import { Link } from 'wouter';
import type { Batch } from '../../../gen/es/personalisation/v1/batch_pb.js';
import { BatchService } from '../../../gen/es/personalisation/v1/batch_service_pb.js';
import { Empty } from '../kit/empty.tsx';
import { ErrorNotice } from '../kit/error-notice.tsx';
import { formatAgo, formatCount, formatMoment } from '../kit/format.ts';
import { MoreButton } from '../kit/more-button.tsx';
import { PageFrame, PageSkeleton } from '../kit/page.tsx';
import { momentOf } from '../kit/timestamp.ts';
import { useConsole } from '../service/console-context.ts';
import { Advance, batchWords, isUnderWay, StateMark, watchMs } from './marks.tsx';
import { Schedules } from './schedules.tsx';
import { text } from './text.ts';

const pageSize = 50;

/** The batches that are kept, newest first; those under way move. */
export function BatchList() {
  const { environment, pathTo } = useConsole();
  const pages = useInfiniteQuery(
    BatchService.method.listBatches,
    { environment: environment.name, pageSize, pageToken: '' },
    {
      pageParamKey: 'pageToken',
      getNextPageParam: ({ nextPageToken }) => nextPageToken || undefined,
      refetchInterval: ({ state }) =>
        state.data?.pages.some(({ batches }) => batches.some(isUnderWay)) ? watchMs : false,
    },
  );
  const { data, error, refetch } = pages;
  if (error) return <ErrorNotice error={error} onRetry={refetch} />;
  if (!data) return <PageSkeleton />;
  const batches = data.pages.flatMap((page) => page.batches);
  const create = (
    <Button component={Link} href={pathTo('batches/new')} leftSection={<Plus size={15} aria-hidden />}>
      {text.create}
    </Button>
  );
  return (
    <PageFrame title={text.title} lead={text.lead} actions={create}>
      <Schedules />
      {batches.length === 0 ? (
        <Paper>
          <Empty icon={Mails} title={text.none}>
            {text.noneLead}
          </Empty>
        </Paper>
      ) : (
        <BatchTable batches={batches} />
      )}
      <MoreButton pages={pages} label={text.more} />
    </PageFrame>
  );
}

function BatchTable({ batches }: { batches: readonly Batch[] }) {
  const { pathTo } = useConsole();
  return (
    <Paper style={{ overflow: 'hidden' }}>
      <Table highlightOnHover>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Batch</Table.Th>
            <Table.Th>State</Table.Th>
            <Table.Th ta="end">{text.answered}</Table.Th>
            <Table.Th visibleFrom="sm">{text.asked}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {batches.map((batch) => {
            const asked = momentOf(batch.requestTime);
            return (
              <Table.Tr key={batch.batchId}>
                <Table.Td>
                  <Link href={pathTo(`batches/${batch.batchId}`)} className="row-link">
                    <bdi>{batchWords(batch)}</bdi>
                  </Link>
                  {batch.schedule && (
                    <Text size="xs" className="quiet">
                      <bdi>{batch.schedule}</bdi>
                    </Text>
                  )}
                </Table.Td>
                <Table.Td>
                  <StateMark batch={batch} />
                  {isUnderWay(batch) && <Advance batch={batch} size="xs" />}
                </Table.Td>
                <Table.Td ta="end" className="numbers">
                  {formatCount(batch.answeredCount)}
                </Table.Td>
                <Table.Td visibleFrom="sm" className="quiet" title={asked && formatMoment(asked)}>
                  {asked && formatAgo(asked)}
                </Table.Td>
              </Table.Tr>
            );
          })}
        </Table.Tbody>
      </Table>
    </Paper>
  );
}
