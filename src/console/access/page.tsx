import { useInfiniteQuery } from '@connectrpc/connect-query';
import { Badge, Button, Group, Paper, SegmentedControl, Stack, Table, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Plus } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { type Client, ClientKind } from '../../../gen/es/personalisation/v1/client_pb.js';
import { ClientService } from '../../../gen/es/personalisation/v1/client_service_pb.js';
import { ErrorNotice } from '../kit/error-notice.tsx';
import { formatAgo } from '../kit/format.ts';
import { MoreButton } from '../kit/more-button.tsx';
import { PageFrame, PageSkeleton } from '../kit/page.tsx';
import { momentOf } from '../kit/timestamp.ts';
import { useAddress } from '../service/address.ts';
import { useConsole } from '../service/console-context.ts';
import { Changes } from './changes.tsx';
import { DisableDialog } from './disable-dialog.tsx';
import { NewClient } from './new-client.tsx';
import { text } from './text.ts';

/** Clients and write keys, or who changed what. */
export function Page() {
  const { values, set } = useAddress<'view'>();
  const showsChanges = values.view === 'changes';
  const views = (
    <SegmentedControl
      aria-label="View"
      mb="lg"
      data={[
        { value: 'clients', label: text.clients },
        { value: 'changes', label: text.changes },
      ]}
      value={showsChanges ? 'changes' : 'clients'}
      onChange={(view) => set({ view: view === 'changes' ? view : '' }, true)}
      transitionDuration={0}
    />
  );
  if (!showsChanges) return <Clients views={views} />;
  return (
    <PageFrame title={text.title} lead={text.lead}>
      {views}
      <Changes />
    </PageFrame>
  );
}

function Clients({ views }: { views: ReactNode }) {
  const pages = useInfiniteQuery(
    ClientService.method.listClients,
    { pageToken: '' },
    { pageParamKey: 'pageToken', getNextPageParam: ({ nextPageToken }) => nextPageToken || undefined },
  );
  const { data, error, refetch } = pages;
  const [isCreating, creating] = useDisclosure(false);
  const [leaving, leave] = useState<Client>();
  if (!data) return error ? <ErrorNotice error={error} onRetry={refetch} /> : <PageSkeleton />;
  const create = (
    <Button leftSection={<Plus size={15} aria-hidden />} onClick={creating.open}>
      {text.create}
    </Button>
  );
  return (
    <PageFrame title={text.title} lead={text.lead} actions={create}>
      {views}
      {error && <ErrorNotice error={error} onRetry={refetch} />}
      <Paper style={{ overflow: 'hidden' }}>
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Client</Table.Th>
              <Table.Th visibleFrom="sm">Kind</Table.Th>
              <Table.Th visibleFrom="sm">Scopes</Table.Th>
              <Table.Th visibleFrom="md">Made</Table.Th>
              <Table.Th>
                <span className="visually-hidden">{text.disable}</span>
              </Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {data.pages.flatMap(({ clients }) =>
              clients.map((client) => (
                <ClientRow key={client.clientId} client={client} onDisable={() => leave(client)} />
              )),
            )}
          </Table.Tbody>
        </Table>
      </Paper>
      <MoreButton pages={pages} label={text.moreClients} />
      <NewClient isOpen={isCreating} onClose={creating.close} />
      <DisableDialog client={leaving} onClose={() => leave(undefined)} />
    </PageFrame>
  );
}

function ClientRow({ client, onDisable }: { client: Client; onDisable(): void }) {
  const { session } = useConsole();
  const made = momentOf(client.createTime);
  const disabled = momentOf(client.disableTime);
  const isSelf = client.clientId === session.clientId;
  return (
    <Table.Tr>
      <Table.Td>
        <Text size="sm" fw={500} className="clamp-2">
          <bdi>{client.name || 'unnamed'}</bdi>
          {isSelf && ' (you)'}
        </Text>
        <Text size="xs" className="quiet mark">
          {client.clientId}
        </Text>
        <Stack gap={4} mt={4} hiddenFrom="sm">
          <Kind client={client} />
          <Scopes client={client} />
        </Stack>
      </Table.Td>
      <Table.Td visibleFrom="sm">
        <Kind client={client} />
      </Table.Td>
      <Table.Td visibleFrom="sm">
        <Scopes client={client} />
      </Table.Td>
      <Table.Td visibleFrom="md" className="quiet" style={{ whiteSpace: 'nowrap' }}>
        {made && formatAgo(made)}
      </Table.Td>
      <Table.Td ta="end">
        {disabled ? (
          <Badge variant="light" color="red" tt="none">
            disabled {formatAgo(disabled)}
          </Badge>
        ) : (
          !isSelf && (
            <Button variant="default" size="compact-xs" onClick={onDisable}>
              {text.disable}
            </Button>
          )
        )}
      </Table.Td>
    </Table.Tr>
  );
}

function Kind({ client: { kind, origins } }: { client: Client }) {
  return (
    <Text size="sm" component="div">
      {kind === ClientKind.WRITE_KEY ? 'write key' : 'program'}
      <Text size="xs" className="quiet" style={{ overflowWrap: 'anywhere' }}>
        {origins.join(', ')}
      </Text>
    </Text>
  );
}

function Scopes({ client: { scopes } }: { client: Client }) {
  return (
    <Group gap={4}>
      {scopes.map((scope) => (
        <Badge key={scope} variant="light" color="gray" tt="none">
          {scope}
        </Badge>
      ))}
    </Group>
  );
}
