import { Code, ConnectError } from '@connectrpc/connect';
import { Alert, Button, Group, SegmentedControl, Skeleton, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { UserRound, UserRoundX } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import type { DeletionReceipt } from '../../../gen/es/personalisation/v1/user_pb.js';
import { Empty } from '../kit/empty.tsx';
import { ErrorNotice } from '../kit/error-notice.tsx';
import { PageFrame } from '../kit/page.tsx';
import { useAddress } from '../service/address.ts';
import { useConsole } from '../service/console-context.ts';
import { DeleteDialog } from './delete-dialog.tsx';
import { Person } from './person.tsx';
import { saveRecords, useRecords, type Who } from './records.ts';
import { text } from './text.ts';

/** One user or device: what is stored, as a file, and its end. */
export function Page() {
  const { environment } = useConsole();
  const { values, set } = useAddress<'kind' | 'id'>();
  const kind = values.kind === 'device' ? 'device' : 'user';
  const who: Who = { environment: environment.name, kind, id: values.id ?? '' };
  return (
    <PageFrame title={text.title} lead={text.lead}>
      <WhoForm key={who.kind + who.id} who={who} onShow={(asked) => set(asked, true)} />
      {who.id === '' ? (
        <Empty icon={UserRound} title={text.empty}>
          {text.emptyLead}
        </Empty>
      ) : (
        <Found key={JSON.stringify(who)} who={who} />
      )}
    </PageFrame>
  );
}

type Asked = { kind: string; id: string };

function WhoForm({ who, onShow }: { who: Who; onShow(asked: Asked): void }) {
  const [kind, setKind] = useState<string>(who.kind);
  const [id, setId] = useState(who.id);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onShow({ kind, id: id.trim() });
  };
  return (
    <form onSubmit={submit}>
      <Group align="flex-end" mb="lg">
        <SegmentedControl
          aria-label={text.who}
          data={[
            { value: 'user', label: 'User' },
            { value: 'device', label: 'Device' },
          ]}
          value={kind}
          onChange={setKind}
          transitionDuration={0}
        />
        <TextInput
          label={text.id}
          value={id}
          onChange={(event) => setId(event.currentTarget.value)}
          flex="1 1 240px"
        />
        <Button type="submit" disabled={id.trim() === ''}>
          {text.show}
        </Button>
      </Group>
    </form>
  );
}

function Found({ who }: { who: Who }) {
  const { connection } = useConsole();
  const queryClient = useQueryClient();
  const { data, error, refetch } = useRecords(who);
  const [isAsking, asking] = useDisclosure(false);
  const [receipt, setReceipt] = useState<DeletionReceipt>();
  const save = useMutation({ mutationFn: () => saveRecords(connection, who) });
  const forget = (done: DeletionReceipt | undefined) => {
    asking.close();
    setReceipt(done);
    queryClient.removeQueries({ queryKey: ['person', who] });
  };
  if (receipt) return <Receipt receipt={receipt} />;
  if (error && ConnectError.from(error).code === Code.NotFound)
    return (
      <Empty icon={UserRoundX} title={text.nobody}>
        {text.nobodyLead}
      </Empty>
    );
  if (!data && error) return <ErrorNotice error={error} onRetry={refetch} />;
  if (!data) return <Skeleton h={240} role="status" aria-label="Loading" />;
  return (
    <>
      {error && <ErrorNotice error={error} onRetry={refetch} />}
      <Group justify="flex-end" mb="md">
        <Button variant="default" loading={save.isPending} onClick={() => save.mutate()}>
          {text.save}
        </Button>
        <Button color="red.8" onClick={asking.open}>
          {text.remove}
        </Button>
      </Group>
      {save.error && <ErrorNotice error={save.error} />}
      <Person records={data} />
      {isAsking && <DeleteDialog who={who} isOpen onClose={asking.close} onDeleted={forget} />}
    </>
  );
}

function Receipt({ receipt: { receiptId, deleted } }: { receipt: DeletionReceipt }) {
  return (
    <Alert color="green" variant="light" title={text.removed} role="status">
      <Text size="sm">{text.removedLead}</Text>
      <Text size="sm" ff="monospace" mt="xs">
        {receiptId}
      </Text>
      <Text size="sm" mt="xs">
        {Object.entries(deleted)
          .map(([kind, count]) => `${kind.replaceAll('_', ' ')} ${count}`)
          .join(', ')}
      </Text>
    </Alert>
  );
}
