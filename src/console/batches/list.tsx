import { useInfiniteQuery } from '@connectrpc/connect-query';
import { Table, Text } from '@mantine/core';
import { Mails } from 'lucide-react';
import { Link } from 'wouter';
import type { Batch } from '../../../gen/es/personalisation/v1/batch_pb.js';
import { BatchService } from '../../../gen/es/personalisation/v1/batch_service_pb.js';
import { formatAgo, formatCount, formatMoment } from '../kit/format.ts';
import { ResourceList } from '../kit/resource-list.tsx';
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
  return (
    <ResourceList
      text={text}
      icon={Mails}
      createPath={pathTo('batches/new')}
      pages={pages}
      resources={pages.data?.pages.flatMap(({ batches }) => batches)}
      head={
        <>
          <Table.Th>Batch</Table.Th>
          <Table.Th>State</Table.Th>
          <Table.Th ta="end">{text.answered}</Table.Th>
          <Table.Th visibleFrom="sm">{text.asked}</Table.Th>
        </>
      }
      rowOf={(batch) => <BatchRow key={batch.batchId} batch={batch} />}
    >
      <Schedules />
    </ResourceList>
  );
}

function BatchRow({ batch }: { batch: Batch }) {
  const { pathTo } = useConsole();
  const asked = momentOf(batch.requestTime);
  return (
    <Table.Tr>
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
}
