import { Badge, Group, Stack, Text } from '@mantine/core';
import { formatCount, formatCounted } from '../kit/format.ts';
import { Hint, Section } from '../kit/page.tsx';
import { Ago, DataTable, TablePaper } from '../kit/table.tsx';
import { rich } from '../texts/rich-text.ts';
import { t, type Text as Words } from '../texts/texts.ts';
import { mostShown, type StoredRecord } from './records.ts';

const mostEntries = 50;

const kinds: Record<string, [one: Words, several: Words]> = {
  event: ['event', 'events'],
  click: ['click awaiting attribution', 'clicks awaiting attribution'],
  purchase: ['purchase awaiting attribution', 'purchases awaiting attribution'],
  history: ['history', 'histories'],
  list: ['stored list', 'stored lists'],
  recorded_request: ['recorded request', 'recorded requests'],
  batch_result: ['batch result', 'batch results'],
  audience_member: ['audience entry', 'audience entries'],
  user_hour: ['hour of user activity', 'hours of user activity'],
  device_hour: ['hour of device activity', 'hours of device activity'],
  typed_queries: ['list of queries', 'lists of queries'],
  experiment_day: ['day in an experiment', 'days in experiments'],
};

type Entry = { event_type: string; item_type: string; item_id: string; timestamp: number };

/** Number of records by kind, devices, and latest activity. */
export function Person({ records }: { records: readonly StoredRecord[] }) {
  const counts = Map.groupBy(records, ({ record }) => record);
  const devices = new Set(records.flatMap(({ device_id }) => (device_id ? [String(device_id)] : [])));
  const entries = records
    .flatMap((record) => (record.record === 'history' ? (record.entries as Entry[]) : []))
    .sort((a, b) => b.timestamp - a.timestamp)
    .slice(0, mostEntries);
  return (
    <Stack gap="lg">
      <Section title={t('Stored data')}>
        <Group gap="xs">
          {Array.from(counts, ([kind, ofKind]) => (
            <Badge key={kind} color="gray" size="lg">
              {formatCounted(ofKind.length, ...(kinds[kind] ?? ['record', 'records']))}
            </Badge>
          ))}
        </Group>
        {records.length >= mostShown && (
          <Hint mt="xs">
            {t('Shows the first {recordsCount} records; the export has all.', {
              recordsCount: formatCount(records.length),
            })}
          </Hint>
        )}
        {devices.size > 0 && (
          <Text size="sm" mt="sm">
            {rich('Devices: {ids}', {
              ids: Array.from(devices, (id) => (
                <Text key={id} span ff="monospace" size="sm" me="xs">
                  <bdi>{id}</bdi>
                </Text>
              )),
            })}
          </Text>
        )}
      </Section>
      {entries.length > 0 && (
        <TablePaper aria-label={t('Latest activity')}>
          <DataTable
            rows={entries}
            keyOf={(_, index) => index}
            columns={[
              { label: t('Latest activity'), cell: ({ event_type }) => event_type.replaceAll('_', ' ') },
              {
                label: t('Item'),
                cell: ({ item_id, item_type }) => (
                  <>
                    <bdi>{item_id}</bdi> <span className="quiet">{item_type}</span>
                  </>
                ),
              },
              {
                label: t('When'),
                isQuiet: true,
                cell: ({ timestamp }) => <Ago time={new Date(timestamp * 1_000)} />,
              },
            ]}
          />
        </TablePaper>
      )}
    </Stack>
  );
}
