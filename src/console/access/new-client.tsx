import { useMutation } from '@connectrpc/connect-query';
import {
  Alert,
  Button,
  Group,
  Modal,
  MultiSelect,
  Select,
  Stack,
  TagsInput,
  Text,
  TextInput,
} from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { ClientKind } from '../../../gen/es/personalisation/v1/client_pb.js';
import {
  ClientService,
  type CreateClientResponse,
} from '../../../gen/es/personalisation/v1/client_service_pb.js';
import { ErrorNotice } from '../kit/error-notice.tsx';
import { useRefresh } from '../kit/refresh.ts';
import { Snippet } from '../kit/snippet.tsx';
import { useConsole } from '../service/console-context.ts';
import { areas, text } from './text.ts';

/** Makes a client; its secret is shown once, until the dialog is closed. */
export function NewClient({ isOpen, onClose }: { isOpen: boolean; onClose(): void }) {
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title={<Text fw={600}>{text.create}</Text>}
      closeButtonProps={{ 'aria-label': 'Close' }}
      closeOnClickOutside={false}
    >
      {isOpen && <NewClientForm onClose={onClose} />}
    </Modal>
  );
}

function NewClientForm({ onClose }: { onClose(): void }) {
  const { environments } = useConsole();
  const refresh = useRefresh();
  const [kind, setKind] = useState<'confidential' | 'write_key'>('confidential');
  const [name, setName] = useState('');
  const [chosen, setChosen] = useState<string[]>([]);
  const [place, setPlace] = useState('*');
  const [origins, setOrigins] = useState<string[]>([]);
  const create = useMutation(ClientService.method.createClient, {
    ...refresh,
  });
  const isWriteKey = kind === 'write_key';
  const scopes = isWriteKey ? [`events:${place}`] : chosen.map((area) => `${area}:${place}`);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    create.mutate({
      client: {
        kind: isWriteKey ? ClientKind.WRITE_KEY : ClientKind.CONFIDENTIAL,
        name,
        scopes,
        origins: isWriteKey ? origins : [],
      },
    });
  };
  if (create.data) return <Made answer={create.data} onClose={onClose} />;
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <Select
          label="Kind"
          data={Object.entries(text.kinds).map(([value, label]) => ({ value, label }))}
          value={kind}
          onChange={(next) => {
            setKind(next as typeof kind);
            setPlace(next === 'write_key' ? (environments[0]?.name ?? '') : '*');
          }}
        />
        <TextInput
          label="Name"
          placeholder="e.g. shop back end"
          data-autofocus
          required
          maxLength={256}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        {!isWriteKey && (
          <MultiSelect
            label="It may use"
            data={areas}
            value={chosen}
            onChange={setChosen}
            placeholder={chosen.length === 0 ? 'Choose' : ''}
            hidePickedOptions
          />
        )}
        <Select
          label="Where"
          data={[
            ...(isWriteKey ? [] : [{ value: '*', label: 'Everywhere' }]),
            ...environments.map((environment) => environment.name),
          ]}
          value={place}
          onChange={(next) => setPlace(next ?? '*')}
        />
        {isWriteKey && (
          <TagsInput
            label="Origins of the pages"
            placeholder="https://shop.example"
            value={origins}
            onChange={setOrigins}
          />
        )}
        {create.error && <ErrorNotice error={create.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button
            type="submit"
            loading={create.isPending}
            disabled={scopes.length === 0 || (isWriteKey && origins.length === 0)}
          >
            Make it
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function Made({ answer, onClose }: { answer: CreateClientResponse; onClose(): void }) {
  const clientId = answer.client?.clientId ?? '';
  const isKey = answer.clientSecret === '';
  const credentials = JSON.stringify({ client_id: clientId, client_secret: answer.clientSecret }, null, 2);
  return (
    <Stack gap="sm">
      <Alert
        color={isKey ? 'blue' : 'orange'}
        variant="light"
        title={isKey ? text.keyTitle : text.secretTitle}
      >
        {isKey ? text.keyLead : text.secretLead}
      </Alert>
      <Snippet label="credentials" code={isKey ? clientId : credentials} />
      <Group justify="flex-end">
        <Button onClick={onClose}>Done</Button>
      </Group>
    </Stack>
  );
}
