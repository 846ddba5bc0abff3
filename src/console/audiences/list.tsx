import { useInfiniteQuery } from '@connectrpc/connect-query';
import { Table } from '@mantine/core';
import { Users } from 'lucide-react';
import { Link } from 'wouter';
import type { Audience } from '../../../gen/es/personalisation/v1/audience_pb.js';
import { AudienceService } from '../../../gen/es/personalisation/v1/audience_service_pb.js';
import { formatAgo, formatCount, formatDay, formatMoment } from '../kit/format.ts';
import { ResourceList } from '../kit/resource-list.tsx';
import { momentOf } from '../kit/timestamp.ts';
import { useConsole } from '../service/console-context.ts';
import { text } from './text.ts';

const pageSize = 50;

/** The audiences that are kept. */
export function AudienceList() {
  const { environment, pathTo } = useConsole();
  const pages = useInfiniteQuery(
    AudienceService.method.listAudiences,
    { environment: environment.name, pageSize, pageToken: '' },
    { pageParamKey: 'pageToken', getNextPageParam: ({ nextPageToken }) => nextPageToken || undefined },
  );
  return (
    <ResourceList
      text={text}
      icon={Users}
      createPath={pathTo('audiences/new')}
      pages={pages}
      resources={pages.data?.pages.flatMap(({ audiences }) => audiences)}
      head={
        <>
          <Table.Th>Audience</Table.Th>
          <Table.Th ta="end">People</Table.Th>
          <Table.Th ta="end">Held out</Table.Th>
          <Table.Th visibleFrom="sm">By</Table.Th>
          <Table.Th visibleFrom="sm">{text.made}</Table.Th>
          <Table.Th visibleFrom="sm">{text.expires}</Table.Th>
        </>
      }
      rowOf={(audience) => <AudienceRow key={audience.audienceId} audience={audience} />}
    />
  );
}

function AudienceRow({ audience }: { audience: Audience }) {
  const { pathTo } = useConsole();
  const { audienceId, audienceName, audienceSize, heldOutCount, integrationType } = audience;
  const [made, ends] = [momentOf(audience.createTime), momentOf(audience.expiresAt)];
  return (
    <Table.Tr>
      <Table.Td>
        <Link href={pathTo(`audiences/${audienceId}`)} className="row-link">
          <bdi>{audienceName}</bdi>
        </Link>
      </Table.Td>
      <Table.Td ta="end" className="numbers">
        {formatCount(audienceSize)}
      </Table.Td>
      <Table.Td ta="end" className="numbers">
        {formatCount(heldOutCount)}
      </Table.Td>
      <Table.Td visibleFrom="sm">{integrationType}</Table.Td>
      <Table.Td visibleFrom="sm" className="quiet" title={made && formatMoment(made)}>
        {made && formatAgo(made)}
      </Table.Td>
      <Table.Td visibleFrom="sm" className="quiet">
        {ends && formatDay(ends)}
      </Table.Td>
    </Table.Tr>
  );
}
