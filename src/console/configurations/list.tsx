import { callUnaryMethod, createConnectQueryKey, useQuery, useTransport } from '@connectrpc/connect-query';
import { Badge, Button, Paper, Table, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQueries } from '@tanstack/react-query';
import { FileSliders, Plus } from 'lucide-react';
import { Link } from 'wouter';
import type { Configuration } from '../../../gen/es/personalisation/v1/configuration_pb.js';
import { ConfigurationService } from '../../../gen/es/personalisation/v1/configuration_service_pb.js';
import { Empty } from '../kit/empty.tsx';
import { ErrorNotice } from '../kit/error-notice.tsx';
import { formatAgo, formatCounted, formatMoment } from '../kit/format.ts';
import { PageFrame, PageSkeleton } from '../kit/page.tsx';
import { momentOf } from '../kit/timestamp.ts';
import { useConsole } from '../service/console-context.ts';
import { text } from './editor/text.ts';
import { NewConfiguration } from './new-configuration.tsx';
import { scheduleOf } from './schedule.ts';

/** All configurations, with what each is about and whether it is in force. */
export function ConfigurationList() {
  const { pathTo } = useConsole();
  const { data, error, refetch } = useQuery(ConfigurationService.method.listConfigurations);
  const [isCreating, creating] = useDisclosure(false);
  const ids = data?.configurationIds ?? [];
  const configurations = useConfigurations(ids);
  if (error) return <ErrorNotice error={error} onRetry={refetch} />;
  if (!data) return <PageSkeleton />;
  const create = (
    <Button leftSection={<Plus size={15} aria-hidden />} onClick={creating.open}>
      {text.create}
    </Button>
  );
  return (
    <PageFrame title={text.title} lead={text.lead} actions={create}>
      <Paper style={{ overflow: 'hidden' }}>
        {ids.length === 0 ? (
          <Empty icon={FileSliders} title={text.none}>
            {text.noneLead}
          </Empty>
        ) : (
          <Table.ScrollContainer minWidth={520} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
            <Table highlightOnHover>
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>Configuration</Table.Th>
                  <Table.Th>State</Table.Th>
                  <Table.Th>Rules</Table.Th>
                  <Table.Th>Written</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {ids.map((id, place) => (
                  <Table.Tr key={id}>
                    <Table.Td>
                      <Link href={pathTo(`configurations/${encodeURIComponent(id)}`)} className="row-link">
                        <bdi>{id}</bdi>
                      </Link>
                    </Table.Td>
                    <Row configuration={configurations[place]} />
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </Table.ScrollContainer>
        )}
      </Paper>
      <NewConfiguration isOpen={isCreating} known={ids} onClose={creating.close} />
    </PageFrame>
  );
}

function useConfigurations(ids: string[]): (Configuration | undefined)[] {
  const transport = useTransport();
  const method = ConfigurationService.method.getConfiguration;
  const results = useQueries({
    queries: ids.map((configurationId) => ({
      queryKey: createConnectQueryKey({
        schema: method,
        input: { configurationId },
        transport,
        cardinality: 'finite' as const,
      }),
      queryFn: () => callUnaryMethod(transport, method, { configurationId }),
    })),
  });
  return results.map(({ data }) => data?.configuration);
}

function Row({ configuration }: { configuration?: Configuration }) {
  if (!configuration) return <Table.Td colSpan={3} className="quiet" />;
  const { constraints, preferences, version, updateTime } = configuration;
  const written = momentOf(updateTime);
  const schedule = scheduleOf(configuration);
  return (
    <>
      <Table.Td>
        <Badge variant="light" color={schedule.color} tt="none">
          {schedule.label}
        </Badge>
        {schedule.moment && (
          <Text span size="xs" className="quiet" ms={6}>
            {formatMoment(schedule.moment)}
          </Text>
        )}
      </Table.Td>
      <Table.Td className="numbers">
        {formatCounted(constraints.length, 'rule')}, {formatCounted(preferences.length, 'preference')}
      </Table.Td>
      <Table.Td className="quiet">
        <span title={written && formatMoment(written)}>
          version {version}
          {written && `, ${formatAgo(written)}`}
        </span>
      </Table.Td>
    </>
  );
}
