import { useMutation as useCall } from '@connectrpc/connect-query';
import { Alert, Button, Group, SegmentedControl, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { DeletionReceipt } from '../../../gen/es/personalisation/v1/user_pb.js';
import { UserService } from '../../../gen/es/personalisation/v1/user_service_pb.js';
import { ConfirmDialog } from '../kit/dialog.tsx';
import { UserRound, UserRoundX } from '../kit/icons.ts';
import { Empty, ErrorNotice, Loading, PageFrame } from '../kit/page.tsx';
import { isNotFound } from '../kit/queries.ts';
import { useAddress } from '../service/address.ts';
import { useConsole } from '../service/console-context.ts';
import { t } from '../texts/texts.ts';
import { Person } from './person.tsx';
import { type Subject, saveRecords, useRecords } from './records.ts';

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
        <SegmentedControl
          aria-label={t('Kind')}
          data={[
            { value: 'user', label: t('User') },
            { value: 'device', label: t('Device') },
          ]}
          value={kind}
          onChange={setKind}
        />
        <TextInput
          label={t('ID')}
          value={id}
          onChange={(event) => setId(event.currentTarget.value)}
          flex="1 1 240px"
        />
        <Button type="submit" disabled={id.trim() === ''}>
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
        <Button variant="default" loading={save.isPending} onClick={() => save.mutate()}>
          {t('Export')}
        </Button>
        <Button color="red.8" onClick={asking.open}>
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
      <TextInput
        mt="md"
        label={t('Type the ID to confirm')}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
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
