import { useInfiniteQuery } from '@connectrpc/connect-query';
import { Button, Code, Group, Paper, SimpleGrid, Skeleton, Table, Text, TextInput } from '@mantine/core';
import { History } from 'lucide-react';
import { type FormEvent, Fragment, useState } from 'react';
import type { AuditEntry } from '../../../gen/es/personalisation/v1/audit_pb.js';
import { AuditService } from '../../../gen/es/personalisation/v1/audit_service_pb.js';
import { Empty } from '../kit/empty.tsx';
import { ErrorNotice } from '../kit/error-notice.tsx';
import { formatAgo, formatMoment } from '../kit/format.ts';
import { MoreButton } from '../kit/more-button.tsx';
import { momentOf } from '../kit/timestamp.ts';
import { useAddress } from '../service/address.ts';
import { text } from './text.ts';

const pageSize = 50;

/** Who changed what, newest first. */
export function Changes() {
  const { values, set } = useAddress<'resource' | 'client'>();
  const { resource = '', client = '' } = values;
  const pages = useInfiniteQuery(
    AuditService.method.listAuditEntries,
    { resource, clientId: client, pageSize, pageToken: '' },
    { pageParamKey: 'pageToken', getNextPageParam: ({ nextPageToken }) => nextPageToken || undefined },
  );
  const { data, error, refetch } = pages;
  if (error) return <ErrorNotice error={error} onRetry={refetch} />;
  const entries = data?.pages.flatMap((page) => page.entries) ?? [];
  return (
    <section aria-label={text.changes}>
      <Filter key={resource + client} filter={{ resource, client }} onChange={set} />
      {!data && <Skeleton h={240} role="status" aria-label="Loading" />}
      {data && entries.length === 0 && (
        <Empty icon={History} title={text.noChanges}>
          {text.noChangesLead}
        </Empty>
      )}
      {entries.length > 0 && <ChangeTable entries={entries} />}
      <MoreButton pages={pages} label={text.more} />
    </section>
  );
}

type Shown = { resource: string; client: string };

function Filter({ filter, onChange }: { filter: Shown; onChange(filter: Shown): void }) {
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
          label={text.resource}
          placeholder="configurations/"
          value={resource}
          onChange={(event) => setResource(event.currentTarget.value)}
        />
        <TextInput
          label={text.client}
          value={client}
          onChange={(event) => setClient(event.currentTarget.value)}
        />
        <Button type="submit" variant="default">
          {text.filter}
        </Button>
      </Group>
    </form>
  );
}

function ChangeTable({ entries }: { entries: readonly AuditEntry[] }) {
  const [open, setOpen] = useState<string>();
  return (
    <Paper style={{ overflow: 'hidden' }}>
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th visibleFrom="sm">When</Table.Th>
            <Table.Th>What</Table.Th>
            <Table.Th visibleFrom="sm">Who</Table.Th>
            <Table.Th>
              <span className="visually-hidden">{text.details}</span>
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {entries.map((entry) => (
            <Fragment key={entry.entryId}>
              <ChangeRow
                entry={entry}
                isOpen={open === entry.entryId}
                onToggle={() => setOpen(open === entry.entryId ? undefined : entry.entryId)}
              />
            </Fragment>
          ))}
        </Table.Tbody>
      </Table>
    </Paper>
  );
}

type ChangeRowProps = { entry: AuditEntry; isOpen: boolean; onToggle(): void };

function ChangeRow({ entry, isOpen, onToggle }: ChangeRowProps) {
  const { action, resource, environment, clientId, before, after } = entry;
  const time = momentOf(entry.time);
  return (
    <>
      <Table.Tr>
        <Table.Td
          visibleFrom="sm"
          className="quiet"
          title={time && formatMoment(time)}
          style={{ whiteSpace: 'nowrap' }}
        >
          {time && formatAgo(time)}
        </Table.Td>
        <Table.Td>
          <Text size="sm" fw={500}>
            {action}
          </Text>
          <Text size="xs" className="quiet mark">
            <bdi>{environment ? `${environment}: ${resource}` : resource}</bdi>
          </Text>
          <Text size="xs" className="mark" hiddenFrom="sm">
            {clientId || text.service}
          </Text>
          <Text size="xs" className="quiet" hiddenFrom="sm">
            {time && formatAgo(time)}
          </Text>
        </Table.Td>
        <Table.Td visibleFrom="sm">
          <Text size="xs" className="mark">
            {clientId || text.service}
          </Text>
        </Table.Td>
        <Table.Td ta="end">
          {(before || after) && (
            <Button variant="default" size="compact-xs" aria-expanded={isOpen} onClick={onToggle}>
              {text.details}
            </Button>
          )}
        </Table.Td>
      </Table.Tr>
      {isOpen && (
        <Table.Tr>
          <Table.Td colSpan={4}>
            <SimpleGrid cols={{ base: 1, sm: 2 }}>
              <Document title={text.before} document={before} />
              <Document title={text.after} document={after} />
            </SimpleGrid>
          </Table.Td>
        </Table.Tr>
      )}
    </>
  );
}

function Document({ title, document }: { title: string; document: object | undefined }) {
  return (
    <div style={{ minWidth: 0 }}>
      <Text size="xs" className="quiet">
        {title}
      </Text>
      <Code block tabIndex={0} className="mark" style={{ whiteSpace: 'pre-wrap' }}>
        {document ? JSON.stringify(document, null, 2) : text.nothing}
      </Code>
    </div>
  );
}
