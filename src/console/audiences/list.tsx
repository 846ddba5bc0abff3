import { useInfiniteQuery } from '@connectrpc/connect-query';
import { Button, Paper, Table } from '@mantine/core';
import { Plus, Users } from 'lucide-react';
import { Link } from 'wouter';
import type { Audience } from '../../../gen/es/personalisation/v1/audience_pb.js';
import { AudienceService } from '../../../gen/es/personalisation/v1/audience_service_pb.js';
import { Empty } from '../kit/empty.tsx';
import { ErrorNotice } from '../kit/error-notice.tsx';
import { formatAgo, formatCount, formatDay, formatMoment } from '../kit/format.ts';
import { MoreButton } from '../kit/more-button.tsx';
import { PageFrame, PageSkeleton } from '../kit/page.tsx';
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
  const { data, error, refetch } = pages;
  if (error) return <ErrorNotice error={error} onRetry={refetch} />;
  if (!data) return <PageSkeleton />;
  const audiences = data.pages.flatMap((page) => page.audiences);
  const create = (
    <Button component={Link} href={pathTo('audiences/new')} leftSection={<Plus size={15} aria-hidden />}>
      {text.create}
    </Button>
  );
  return (
    <PageFrame title={text.title} lead={text.lead} actions={create}>
      {audiences.length === 0 ? (
        <Empty icon={Users} title={text.none}>
          {text.noneLead}
        </Empty>
      ) : (
        <AudienceTable audiences={audiences} />
      )}
      <MoreButton pages={pages} label={text.more} />
    </PageFrame>
  );
}

function AudienceTable({ audiences }: { audiences: readonly Audience[] }) {
  const { pathTo } = useConsole();
  return (
    <Paper style={{ overflow: 'hidden' }}>
      <Table highlightOnHover>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Audience</Table.Th>
            <Table.Th ta="end">People</Table.Th>
            <Table.Th ta="end">Held out</Table.Th>
            <Table.Th visibleFrom="sm">By</Table.Th>
            <Table.Th>{text.made}</Table.Th>
            <Table.Th visibleFrom="sm">{text.expires}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {audiences.map((audience) => {
            const { audienceId, audienceName, audienceSize, heldOutCount, integrationType } = audience;
            const [made, ends] = [momentOf(audience.createTime), momentOf(audience.expiresAt)];
            return (
              <Table.Tr key={audienceId}>
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
                <Table.Td className="quiet" title={made && formatMoment(made)}>
                  {made && formatAgo(made)}
                </Table.Td>
                <Table.Td visibleFrom="sm" className="quiet">
                  {ends && formatDay(ends)}
                </Table.Td>
              </Table.Tr>
            );
          })}
        </Table.Tbody>
      </Table>
    </Paper>
  );
}
