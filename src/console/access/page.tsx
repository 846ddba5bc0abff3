import { Badge, Button, Code, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import type { AuditEntry } from '../../../gen/es/personalisation/v1/audit_pb.js';
import { AuditService } from '../../../gen/es/personalisation/v1/audit_service_pb.js';
import { type Client, ClientKind } from '../../../gen/es/personalisation/v1/client_pb.js';
import { ClientService } from '../../../gen/es/personalisation/v1/client_service_pb.js';
import { ChangeDialog } from '../kit/dialog.tsx';
import { TextField, ViewSwitch } from '../kit/fields.tsx';
import { formatAgo, momentOf } from '../kit/format.ts';
import { History } from '../kit/icons.ts';
import { Empty, Hint, PageFrame } from '../kit/page.tsx';
import { usePages } from '../kit/queries.ts';
import { Ago, type Column, PagedTable, type PagedTableProps } from '../kit/table.tsx';
import { useAddress } from '../service/address.ts';
import { useConsole } from '../service/console-context.ts';
import { t } from '../texts/texts.ts';
import { NewClient } from './new-client.tsx';

const views = { clients: t('Clients'), changes: t('Changes') };

export function Page() {
  const showsChanges = useAddress<'view'>().values.view === 'changes';
  return (
    <PageFrame
      title={t('Access')}
      lead={t('Clients with a secret, public write keys of web pages, and the record of changes.')}
      actions={!showsChanges && <NewClient />}
    >
      <ViewSwitch views={views} />
      {showsChanges ? <AuditLog /> : <ClientList />}
    </PageFrame>
  );
}

function ClientList() {
  const { session, environment } = useConsole();
  const isHere = ({ scopes }: Client) =>
    scopes.some((scope) => /:\*$/.test(scope) || scope.endsWith(`:${environment.name}`));
  const pages = usePages(ClientService.method.listClients, {}, ({ clients }) => clients);
  const [disabling, setDisabling] = useState<Client>();
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
    { label: t('Created'), from: 'md', isQuiet: true, cell: ({ createTime }) => <Ago time={createTime} /> },
    {
      label: t('Disable'),
      isActions: true,
      cell: (client) => <Status client={client} onDisable={() => setDisabling(client)} />,
    },
  ];
  return (
    <>
      <Text size="sm" c="dimmed" mb="sm">
        {t('Clients with permissions in {name}. Switch the environment to see others.', {
          name: environment.name,
        })}
      </Text>
      <PagedTable
        pages={{ ...pages, rows: pages.rows?.filter(isHere) }}
        keyOf={({ clientId }) => clientId}
        columns={columns}
        empty={undefined}
      />
      <ChangeDialog
        isOpen={disabling !== undefined}
        title={t('Disable {name} permanently?', { name: disabling?.name || disabling?.clientId })}
        confirm={t('Disable')}
        method={ClientService.method.disableClient}
        request={{ clientId: disabling?.clientId }}
        onClose={() => setDisabling(undefined)}
      >
        {t(
          'Its tokens stop working within 10 seconds on every node. A disabled client cannot be enabled again.',
        )}
      </ChangeDialog>
    </>
  );
}

function Status({ client, onDisable }: { client: Client; onDisable(): void }) {
  const { session } = useConsole();
  const disabled = momentOf(client.disableTime);
  if (disabled) return <Badge color="red">{t('disabled {ago}', { ago: formatAgo(disabled) })}</Badge>;
  if (client.clientId === session.clientId) return null;
  return (
    <Button size="compact-xs" onClick={onDisable}>
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

const pageSize = 50;

/** Changes with the clients that made them, newest first. */
function AuditLog() {
  const { values, set } = useAddress<'resource' | 'client'>();
  const { resource = '', client = '' } = values;
  const request = { environment: undefined, resource, clientId: client, pageSize };
  const pages = usePages(AuditService.method.listAuditEntries, request, (page) => page.entries);
  return (
    <section aria-label={t('Changes')}>
      <FilterForm key={resource + client} filter={{ resource, client }} onChange={set} />
      <ChangeTable pages={pages} />
    </section>
  );
}

type Filter = { resource: string; client: string };

function FilterForm({ filter, onChange }: { filter: Filter; onChange(filter: Filter): void }) {
  const [resource, setResource] = useState(filter.resource);
  const [client, setClient] = useState(filter.client);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onChange({ resource: resource.trim(), client: client.trim() });
  };
  return (
    <form onSubmit={submit}>
      <Group align="flex-end" mb="md">
        <TextField
          label={t('Resource')}
          placeholder="configurations/"
          value={resource}
          onChange={setResource}
        />
        <TextField label={t('Client ID')} value={client} onChange={setClient} />
        <Button type="submit">{t('Filter')}</Button>
      </Group>
    </form>
  );
}

function ChangeTable({ pages }: { pages: PagedTableProps<AuditEntry>['pages'] }) {
  const [open, setOpen] = useState<string>();
  const clientOf = ({ clientId, clientName }: AuditEntry) => clientName || clientId || t('the service');
  const columns: Column<AuditEntry>[] = [
    { label: t('When'), from: 'sm', isQuiet: true, cell: ({ time }) => <Ago time={time} /> },
    {
      label: t('Change'),
      cell: (entry) => (
        <>
          <Text size="sm" fw={500}>
            {entry.action}
          </Text>
          <Hint className="mark">
            <bdi>{entry.environment ? `${entry.environment}: ${entry.resource}` : entry.resource}</bdi>
          </Hint>
          <Hint hiddenFrom="sm">
            {clientOf(entry)}, <Ago time={entry.time} />
          </Hint>
        </>
      ),
    },
    { label: t('By'), from: 'sm', cell: (entry) => <span className="mark">{clientOf(entry)}</span> },
    {
      label: t('Details'),
      isActions: true,
      cell: ({ entryId, before, after }) =>
        (before || after) && (
          <Button
            size="compact-xs"
            aria-expanded={open === entryId}
            onClick={() => setOpen(open === entryId ? undefined : entryId)}
          >
            {t('Details')}
          </Button>
        ),
    },
  ];
  return (
    <PagedTable
      pages={pages}
      keyOf={({ entryId }) => entryId}
      columns={columns}
      detailsOf={({ entryId, before, after }) =>
        open === entryId && (
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            <Document title={t('Before')} document={before} />
            <Document title={t('After')} document={after} />
          </SimpleGrid>
        )
      }
      empty={
        <Empty icon={History} title={t('No changes')}>
          {t('Changes of rule sets, clients, items and models appear here, and deletions of people.')}
        </Empty>
      }
    />
  );
}

function Document({ title, document }: { title: string; document: object | undefined }) {
  return (
    <div style={{ minWidth: 0 }}>
      <Hint>{title}</Hint>
      <Code block tabIndex={0} className="mark" style={{ whiteSpace: 'pre-wrap' }}>
        {document ? JSON.stringify(document, null, 2) : t('none')}
      </Code>
    </div>
  );
}
