import { createClient } from '@connectrpc/connect';
import { Alert, Badge, Button, Group, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { DeletionReceipt } from '../../../gen/es/personalisation/v1/user_pb.js';
import { UserService } from '../../../gen/es/personalisation/v1/user_service_pb.js';
import { ConfirmDialog } from '../kit/dialog.tsx';
import { Choice, TextField } from '../kit/fields.tsx';
import { saveText } from '../kit/files.ts';
import { formatCount, formatCounted } from '../kit/format.ts';
import { UserRound, UserRoundX } from '../kit/icons.ts';
import { Empty, ErrorNotice, Hint, Loading, PageFrame, Section } from '../kit/page.tsx';
import { isNotFound, useCall } from '../kit/queries.ts';
import { Ago, DataTable, TablePaper } from '../kit/table.tsx';
import { useAddress } from '../service/address.ts';
import { useConsole } from '../service/console-context.ts';
import type { Connection } from '../service/transport.ts';
import { rich } from '../texts/rich-text.ts';
import { t, type Text as Words } from '../texts/texts.ts';

/** Stored data of one user or device, its export and its deletion. */
export function Page() {
  const { environment } = useConsole();
  const { values, set } = useAddress<'kind' | 'id'>();
  const kind = values.kind === 'device' ? 'device' : 'user';
  const subject: Subject = { environment: environment.name, kind, id: values.id ?? '' };
  return (
    <PageFrame
      title={t('People')}
      lead={t(
        'See, export or delete the stored data of a user or device. The audit log records each access.',
      )}
    >
      <SubjectForm key={kind + subject.id} subject={subject} onShow={(wanted) => set(wanted, true)} />
      {subject.id === '' ? (
        <Empty icon={UserRound} title={t('Find a person')}>
          {t(
            'Enter a user ID or device ID as in your events. A user includes their devices, except those that another user used later.',
          )}
        </Empty>
      ) : (
        <Found key={JSON.stringify(subject)} subject={subject} />
      )}
    </PageFrame>
  );
}

type SubjectFormProps = { subject: Subject; onShow(wanted: { kind: string; id: string }): void };

function SubjectForm({ subject, onShow }: SubjectFormProps) {
  const [kind, setKind] = useState<string>(subject.kind);
  const [id, setId] = useState(subject.id);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onShow({ kind, id: id.trim() });
  };
  return (
    <form onSubmit={submit}>
      <Group align="flex-end" mb="lg">
        <Choice
          aria-label={t('Kind')}
          labels={{ user: t('User'), device: t('Device') }}
          value={kind}
          onChange={setKind}
        />
        <TextField label={t('ID')} value={id} onChange={setId} flex="1 1 240px" />
        <Button variant="filled" type="submit" disabled={id.trim() === ''}>
          {t('Show')}
        </Button>
      </Group>
    </form>
  );
}

function Found({ subject }: { subject: Subject }) {
  const { connection } = useConsole();
  const queryClient = useQueryClient();
  const { data, error, refetch } = useRecords(subject);
  const [isAsking, asking] = useDisclosure(false);
  const [receipt, setReceipt] = useState<DeletionReceipt>();
  const save = useMutation({ mutationFn: () => saveRecords(connection, subject) });
  const finish = (done: DeletionReceipt | undefined) => {
    asking.close();
    setReceipt(done);
    queryClient.removeQueries({ queryKey: ['person', subject] });
  };
  if (receipt) return <Receipt receipt={receipt} />;
  if (isNotFound(error))
    return (
      <Empty icon={UserRoundX} title={t('No stored data')}>
        {t('Check the ID and the environment. Deleted data cannot be found again.')}
      </Empty>
    );
  if (!data) return error ? <ErrorNotice error={error} onRetry={refetch} /> : <Loading h={240} />;
  return (
    <>
      {error && <ErrorNotice error={error} onRetry={refetch} />}
      <Group justify="flex-end" mb="md">
        <Button loading={save.isPending} onClick={() => save.mutate()}>
          {t('Export')}
        </Button>
        <Button variant="filled" color="red.8" onClick={asking.open}>
          {t('Delete …')}
        </Button>
      </Group>
      {save.error && <ErrorNotice error={save.error} />}
      <Person records={data} />
      {isAsking && <DeleteDialog subject={subject} onClose={asking.close} onDeleted={finish} />}
    </>
  );
}

type DeleteDialogProps = {
  subject: Subject;
  onClose(): void;
  onDeleted(receipt: DeletionReceipt | undefined): void;
};

/** Asks for the ID again before it deletes all data. */
function DeleteDialog({ subject: { environment, kind, id }, onClose, onDeleted }: DeleteDialogProps) {
  const [typed, setTyped] = useState('');
  const done = { onSuccess: ({ receipt }: { receipt?: DeletionReceipt }) => onDeleted(receipt) };
  const user = useCall(UserService.method.deleteUser, done);
  const device = useCall(UserService.method.deleteDevice, done);
  const remove = () =>
    kind === 'user' ? user.mutate({ environment, userId: id }) : device.mutate({ environment, deviceId: id });
  return (
    <ConfirmDialog
      isOpen
      title={t('Delete all data of {id}?', { id })}
      confirm={t('Delete permanently')}
      isDisabled={typed !== id}
      mutation={kind === 'user' ? user : device}
      onConfirm={remove}
      onClose={onClose}
    >
      {t(
        'Deletes events, histories, lists, recorded requests, and entries in audiences and experiments. Metric totals stay; they contain no IDs. This cannot be undone.',
      )}
      <TextField
        mt="md"
        label={t('Type the ID to confirm')}
        value={typed}
        onChange={setTyped}
        data-autofocus
      />
    </ConfirmDialog>
  );
}

function Receipt({ receipt: { receiptId, deleted } }: { receipt: DeletionReceipt }) {
  return (
    <Alert color="green" title={t('Deleted')} role="status">
      <Text size="sm">{t('Keep the receipt; it does not contain the ID.')}</Text>
      <Text size="sm" ff="monospace" my="xs">
        {receiptId}
      </Text>
      <Text size="sm">
        {Object.entries(deleted)
          .map(([kind, count]) => `${kind.replaceAll('_', ' ')} ${count}`)
          .join(', ')}
      </Text>
    </Alert>
  );
}

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
function Person({ records }: { records: readonly StoredRecord[] }) {
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

type Subject = { environment: string; kind: 'user' | 'device'; id: string };

type StoredRecord = { record: string } & Record<string, unknown>;

/** Records that a page reads. */
const mostShown = 2_000;

async function* readLines({ transport }: Connection, { environment, kind, id }: Subject) {
  const users = createClient(UserService, transport);
  const parts =
    kind === 'user'
      ? users.exportUser({ environment, userId: id })
      : users.exportDevice({ environment, deviceId: id });
  for await (const { json } of parts) yield json;
}

async function readShown(connection: Connection, subject: Subject): Promise<StoredRecord[]> {
  const records: StoredRecord[] = [];
  for await (const lines of readLines(connection, subject)) {
    for (const line of lines) records.push(JSON.parse(line));
    if (records.length >= mostShown) break;
  }
  return records;
}

/** Reads once, because the audit log records each access. */
function useRecords(subject: Subject) {
  const { connection } = useConsole();
  return useQuery({
    queryKey: ['person', subject],
    queryFn: () => readShown(connection, subject),
    enabled: subject.id !== '',
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  });
}

async function saveRecords(connection: Connection, subject: Subject): Promise<void> {
  const parts: string[] = [];
  for await (const lines of readLines(connection, subject))
    parts.push(lines.map((line) => `${line}\n`).join(''));
  saveText(`${subject.kind}.ndjson`, parts, 'application/x-ndjson');
}
