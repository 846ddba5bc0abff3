import { Badge, Group, Paper, Stack, Table, Text, Title } from '@mantine/core';
import { formatAgo, formatCount, formatCounted, formatMoment } from '../kit/format.ts';
import { mostShown, type StoredRecord } from './records.ts';
import { kindWords, text } from './text.ts';

const mostEntries = 50;

type Entry = { event_type: string; item_type: string; item_id: string; timestamp: number };

/** How much is stored of each kind, on which devices, and what came last. */
export function Person({ records }: { records: readonly StoredRecord[] }) {
  const counts = Map.groupBy(records, ({ record }) => record);
  const devices = new Set(records.flatMap(({ device_id }) => (device_id ? [String(device_id)] : [])));
  const entries = records
    .flatMap((record) => (record.record === 'history' ? (record.entries as Entry[]) : []))
    .sort((a, b) => b.timestamp - a.timestamp)
    .slice(0, mostEntries);
  return (
    <Stack gap="lg">
      <Paper p="md" component="section" aria-label={text.stored}>
        <Title order={2} size="h4" mb="xs">
          {text.stored}
        </Title>
        <Group gap="xs">
          {Array.from(counts, ([kind, ofKind]) => (
            <Badge key={kind} variant="light" color="gray" tt="none" size="lg">
              {formatCounted(ofKind.length, ...(kindWords[kind] ?? [kind, kind]))}
            </Badge>
          ))}
        </Group>
        {records.length >= mostShown && (
          <Text size="xs" className="quiet" mt="xs">
            {text.most(formatCount(records.length))}
          </Text>
        )}
        {devices.size > 0 && (
          <Text size="sm" mt="sm">
            {text.devices}:{' '}
            {Array.from(devices, (id) => (
              <Text key={id} span ff="monospace" size="sm" me="xs">
                <bdi>{id}</bdi>
              </Text>
            ))}
          </Text>
        )}
      </Paper>
      {entries.length > 0 && <Recent entries={entries} />}
    </Stack>
  );
}

function Recent({ entries }: { entries: readonly Entry[] }) {
  return (
    <Paper component="section" aria-label={text.recent} style={{ overflow: 'hidden' }}>
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{text.recent}</Table.Th>
            <Table.Th>Item</Table.Th>
            <Table.Th visibleFrom="sm">When</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {entries.map((entry, place) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: Entries are not named, and never move.
            <EntryRow key={place} entry={entry} />
          ))}
        </Table.Tbody>
      </Table>
    </Paper>
  );
}

function EntryRow({ entry: { event_type, item_type, item_id, timestamp } }: { entry: Entry }) {
  const moment = new Date(timestamp * 1_000);
  return (
    <Table.Tr>
      <Table.Td>
        {event_type.replaceAll('_', ' ')}
        <Text size="xs" className="quiet" hiddenFrom="sm" title={formatMoment(moment)}>
          {formatAgo(moment)}
        </Text>
      </Table.Td>
      <Table.Td style={{ overflowWrap: 'anywhere' }}>
        <bdi>{item_id}</bdi>{' '}
        <Text size="xs" span className="quiet">
          {item_type}
        </Text>
      </Table.Td>
      <Table.Td visibleFrom="sm" className="quiet" title={formatMoment(moment)}>
        {formatAgo(moment)}
      </Table.Td>
    </Table.Tr>
  );
}
