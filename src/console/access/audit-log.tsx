import { useInfiniteQuery } from '@connectrpc/connect-query';
import { Button, Code, Group, SimpleGrid, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import type { AuditEntry } from '../../../gen/es/personalisation/v1/audit_pb.js';
import { AuditService } from '../../../gen/es/personalisation/v1/audit_service_pb.js';
import { momentOf } from '../kit/format.ts';
import { History } from '../kit/icons.ts';
import { Empty, ErrorNotice, Hint, Loading } from '../kit/page.tsx';
import { byPageToken } from '../kit/queries.ts';
import { Ago, type Column, DataTable, MoreButton, TablePaper } from '../kit/table.tsx';
import { useAddress } from '../service/address.ts';
import { t } from '../texts/texts.ts';

const pageSize = 50;

/** Changes with the clients that made them, newest first. */
export function AuditLog() {
  const { values, set } = useAddress<'resource' | 'client'>();
  const { resource = '', client = '' } = values;
  const pages = useInfiniteQuery(
    AuditService.method.listAuditEntries,
    { resource, clientId: client, pageSize, pageToken: '' },
    byPageToken,
  );
  const { data, error, refetch } = pages;
  if (error) return <ErrorNotice error={error} onRetry={refetch} />;
  const entries = data?.pages.flatMap((page) => page.entries) ?? [];
  return (
    <section aria-label={t('Changes')}>
      <FilterForm key={resource + client} filter={{ resource, client }} onChange={set} />
      {!data && <Loading h={240} />}
      {data && entries.length === 0 && (
        <Empty icon={History} title={t('No changes')}>
          {t('Changes of rule sets, clients, items and models appear here, and deletions of people.')}
        </Empty>
      )}
      {entries.length > 0 && <ChangeTable entries={entries} />}
      <MoreButton pages={pages} />
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
        <TextInput
          label={t('Resource')}
          placeholder="configurations/"
          value={resource}
          onChange={(event) => setResource(event.currentTarget.value)}
        />
        <TextInput
          label={t('Client ID')}
          value={client}
          onChange={(event) => setClient(event.currentTarget.value)}
        />
        <Button type="submit" variant="default">
          {t('Filter')}
        </Button>
      </Group>
    </form>
  );
}

function ChangeTable({ entries }: { entries: readonly AuditEntry[] }) {
  const [open, setOpen] = useState<string>();
  const clientOf = ({ clientId, clientName }: AuditEntry) => clientName || clientId || t('the service');
  const columns: Column<AuditEntry>[] = [
    { label: t('When'), from: 'sm', isQuiet: true, cell: ({ time }) => <Ago time={momentOf(time)} /> },
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
            {clientOf(entry)}, <Ago time={momentOf(entry.time)} />
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
            variant="default"
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
    <TablePaper>
      <DataTable
        rows={entries}
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
      />
    </TablePaper>
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
