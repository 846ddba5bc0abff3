import { useInfiniteQuery, useMutation } from '@connectrpc/connect-query';
import { Badge, Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { type Client, ClientKind } from '../../../gen/es/personalisation/v1/client_pb.js';
import { ClientService } from '../../../gen/es/personalisation/v1/client_service_pb.js';
import { ConfirmDialog } from '../kit/dialog.tsx';
import { formatAgo, momentOf } from '../kit/format.ts';
import { ErrorNotice, Hint, Loading } from '../kit/page.tsx';
import { byPageToken, useRefresh } from '../kit/queries.ts';
import { Ago, type Column, DataTable, MoreButton, TablePaper } from '../kit/table.tsx';
import { useConsole } from '../service/console-context.ts';
import { t } from '../texts/texts.ts';

export function ClientList() {
  const { session, environment } = useConsole();
  const isHere = ({ scopes }: Client) =>
    scopes.some((scope) => /:\*$/.test(scope) || scope.endsWith(`:${environment.name}`));
  const pages = useInfiniteQuery(ClientService.method.listClients, { pageToken: '' }, byPageToken);
  const { data, error, refetch } = pages;
  const [disabling, setDisabling] = useState<Client>();
  if (!data) return error ? <ErrorNotice error={error} onRetry={refetch} /> : <Loading h={240} />;
  const columns: Column<Client>[] = [
    {
      label: t('Client'),
      cell: (client) => (
        <>
          <Text size="sm" fw={500} className="clamp-2">
            <bdi>{client.name || t('unnamed')}</bdi>
            {client.clientId === session.clientId && t(' (you)')}
          </Text>
          <Hint className="mark">{client.clientId}</Hint>
          <Stack gap={4} mt={4} hiddenFrom="sm">
            <Kind client={client} />
            <Scopes client={client} />
          </Stack>
        </>
      ),
    },
    { label: t('Kind'), from: 'sm', cell: (client) => <Kind client={client} /> },
    { label: t('Permissions'), from: 'sm', cell: (client) => <Scopes client={client} /> },
    {
      label: t('Created'),
      from: 'md',
      isQuiet: true,
      cell: ({ createTime }) => <Ago time={momentOf(createTime)} />,
    },
    {
      label: t('Disable'),
      isActions: true,
      cell: (client) => <Status client={client} onDisable={() => setDisabling(client)} />,
    },
  ];
  return (
    <>
      {error && <ErrorNotice error={error} onRetry={refetch} />}
      <Text size="sm" c="dimmed" mb="sm">
        {t('Clients with permissions in {name}. Switch the environment to see others.', {
          name: environment.name,
        })}
      </Text>
      <TablePaper>
        <DataTable
          rows={data.pages.flatMap(({ clients }) => clients).filter(isHere)}
          keyOf={({ clientId }) => clientId}
          columns={columns}
        />
      </TablePaper>
      <MoreButton pages={pages} />
      <DisableDialog client={disabling} onClose={() => setDisabling(undefined)} />
    </>
  );
}

function Status({ client, onDisable }: { client: Client; onDisable(): void }) {
  const { session } = useConsole();
  const disabled = momentOf(client.disableTime);
  if (disabled) return <Badge color="red">{t('disabled {ago}', { ago: formatAgo(disabled) })}</Badge>;
  if (client.clientId === session.clientId) return null;
  return (
    <Button variant="default" size="compact-xs" onClick={onDisable}>
      {t('Disable')}
    </Button>
  );
}

function Kind({ client: { kind, origins } }: { client: Client }) {
  return (
    <>
      {kind === ClientKind.WRITE_KEY ? t('write key') : t('program')}
      <Hint>{origins.join(', ')}</Hint>
    </>
  );
}

function Scopes({ client: { scopes } }: { client: Client }) {
  return (
    <Group gap={4}>
      {scopes.map((scope) => (
        <Badge key={scope} color="gray">
          {scope}
        </Badge>
      ))}
    </Group>
  );
}

function DisableDialog({ client, onClose }: { client?: Client; onClose(): void }) {
  const disable = useMutation(ClientService.method.disableClient, { onSuccess: onClose, ...useRefresh() });
  return (
    <ConfirmDialog
      isOpen={client !== undefined}
      title={t('Disable {name} permanently?', { name: client?.name || client?.clientId })}
      confirm={t('Disable')}
      mutation={disable}
      onConfirm={() => disable.mutate({ clientId: client?.clientId })}
      onClose={onClose}
    >
      {t(
        'Its tokens stop working within 10 seconds on every node. A disabled client cannot be enabled again.',
      )}
    </ConfirmDialog>
  );
}
