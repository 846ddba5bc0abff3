import { useQuery } from '@connectrpc/connect-query';
import { Badge, Button, Group, Paper, SegmentedControl, Table, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Plus } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { type Client, ClientKind } from '../../../gen/es/personalisation/v1/client_pb.js';
import { ClientService } from '../../../gen/es/personalisation/v1/client_service_pb.js';
import { ErrorNotice } from '../kit/error-notice.tsx';
import { formatAgo } from '../kit/format.ts';
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
  const { data, error, refetch } = useQuery(ClientService.method.listClients);
  const [isCreating, creating] = useDisclosure(false);
  const [leaving, leave] = useState<Client>();
  if (error) return <ErrorNotice error={error} onRetry={refetch} />;
  if (!data) return <PageSkeleton />;
  const create = (
    <Button leftSection={<Plus size={15} aria-hidden />} onClick={creating.open}>
      {text.create}
    </Button>
  );
  return (
    <PageFrame title={text.title} lead={text.lead} actions={create}>
      {views}
      <Paper style={{ overflow: 'hidden' }}>
        <Table.ScrollContainer minWidth={720} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
          <Table>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Client</Table.Th>
                <Table.Th>Kind</Table.Th>
                <Table.Th>Scopes</Table.Th>
                <Table.Th>Made</Table.Th>
                <Table.Th>
                  <span className="visually-hidden">{text.disable}</span>
                </Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {data.clients.map((client) => (
                <ClientRow key={client.clientId} client={client} onDisable={() => leave(client)} />
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      </Paper>
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
      <Table.Td maw={280}>
        <Text size="sm" fw={500} truncate>
          <bdi>{client.name || 'unnamed'}</bdi>
          {isSelf && ' (you)'}
        </Text>
        <Text size="xs" className="quiet" ff="monospace" truncate>
          {client.clientId}
        </Text>
      </Table.Td>
      <Table.Td>
        {client.kind === ClientKind.WRITE_KEY ? 'write key' : 'program'}
        <Text size="xs" className="quiet">
          {client.origins.join(', ')}
        </Text>
      </Table.Td>
      <Table.Td>
        <Group gap={4}>
          {client.scopes.map((scope) => (
            <Badge key={scope} variant="light" color="gray" tt="none">
              {scope}
            </Badge>
          ))}
        </Group>
      </Table.Td>
      <Table.Td className="quiet">{made && formatAgo(made)}</Table.Td>
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
