import { useMutation } from '@connectrpc/connect-query';
import { Alert, Button, Group, Modal, MultiSelect, Select, Stack, TagsInput, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { type FormEvent, useState } from 'react';
import { ClientKind } from '../../../gen/es/personalisation/v1/client_pb.js';
import {
  ClientService,
  type CreateClientResponse,
} from '../../../gen/es/personalisation/v1/client_service_pb.js';
import { scopeAreas } from '../../formats/scopes.ts';
import { Plus } from '../kit/icons.ts';
import { ErrorNotice } from '../kit/page.tsx';
import { useRefresh } from '../kit/queries.ts';
import { Snippet } from '../kit/snippet.tsx';
import { useConsole } from '../service/console-context.ts';
import { t } from '../texts/texts.ts';

/** Of each area, all of it or reading alone. */
const areas = scopeAreas.flatMap((area) => [area, `${area}.read`]);

/** Button and dialog that create a client. The secret is shown once, until the dialog closes. */
export function NewClient() {
  const [isOpen, dialog] = useDisclosure(false);
  return (
    <>
      <Button leftSection={<Plus size={15} aria-hidden />} onClick={dialog.open} data-create>
        {t('New client')}
      </Button>
      <Modal opened={isOpen} onClose={dialog.close} title={t('New client')} closeOnClickOutside={false}>
        {isOpen && <NewClientForm onClose={dialog.close} />}
      </Modal>
    </>
  );
}

type Draft = { isWriteKey: boolean; name: string; areas: string[]; environment: string; origins: string[] };

const noDraft: Draft = { isWriteKey: false, name: '', areas: [], environment: '*', origins: [] };

function requestOf({ isWriteKey, name, environment, ...draft }: Draft) {
  const granted = isWriteKey ? ['events'] : draft.areas;
  return {
    kind: isWriteKey ? ClientKind.WRITE_KEY : ClientKind.CONFIDENTIAL,
    name,
    scopes: granted.map((area) => `${area}:${environment}`),
    origins: isWriteKey ? draft.origins : [],
  };
}

function NewClientForm({ onClose }: { onClose(): void }) {
  const [draft, setDraft] = useState(noDraft);
  const create = useMutation(ClientService.method.createClient, useRefresh());
  const client = requestOf(draft);
  const isIncomplete = client.scopes.length === 0 || (draft.isWriteKey && draft.origins.length === 0);
  const lack = draft.isWriteKey ? t('Choose at least one origin.') : t('Choose at least one permission.');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    create.mutate({ client });
  };
  if (create.data) return <Created answer={create.data} onClose={onClose} />;
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <Fields draft={draft} onChange={(changes) => setDraft({ ...draft, ...changes })} />
        {create.error && <ErrorNotice error={create.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t('Cancel')}
          </Button>
          <Button
            type="submit"
            loading={create.isPending}
            disabled={isIncomplete}
            title={isIncomplete ? lack : undefined}
          >
            {t('Create')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function Fields({ draft, onChange }: { draft: Draft; onChange(changes: Partial<Draft>): void }) {
  const { environment: here, environments } = useConsole();
  const names = environments.map(({ name }) => name);
  const { isWriteKey, name, environment, origins } = draft;
  return (
    <>
      <Select
        label={t('Kind')}
        data={[
          { value: 'confidential', label: t('A program, with a secret') },
          { value: 'write_key', label: t('A web page, with a public write key') },
        ]}
        value={isWriteKey ? 'write_key' : 'confidential'}
        onChange={(kind) => {
          const isKey = kind === 'write_key';
          onChange({ isWriteKey: isKey, environment: isKey ? here.name : '*' });
        }}
      />
      <TextInput
        label={t('Name')}
        placeholder={t('e.g. shop back end')}
        data-autofocus
        required
        maxLength={256}
        value={name}
        onChange={(event) => onChange({ name: event.currentTarget.value })}
      />
      {!isWriteKey && (
        <MultiSelect
          label={t('Permissions')}
          data={areas}
          value={draft.areas}
          onChange={(chosen) => onChange({ areas: chosen })}
          placeholder={draft.areas.length === 0 ? t('Choose') : ''}
          hidePickedOptions
        />
      )}
      <Select
        label={t('Environments')}
        data={[...(isWriteKey ? [] : [{ value: '*', label: t('All environments') }]), ...names]}
        value={environment}
        onChange={(next) => onChange({ environment: next ?? '*' })}
      />
      {isWriteKey && (
        <TagsInput
          label={t('Allowed origins')}
          placeholder="https://shop.example"
          value={origins}
          onChange={(next) => onChange({ origins: next })}
        />
      )}
    </>
  );
}

function Created({ answer, onClose }: { answer: CreateClientResponse; onClose(): void }) {
  const clientId = answer.client?.clientId ?? '';
  const isKey = answer.clientSecret === '';
  const credentials = JSON.stringify({ client_id: clientId, client_secret: answer.clientSecret }, null, 2);
  return (
    <Stack gap="sm">
      {isKey ? (
        <Alert color="blue" title={t('Write key')}>
          {t('The key is public: put it into your pages. It sends events from the allowed origins.')}
        </Alert>
      ) : (
        <Alert color="orange" title={t('Copy the secret now; it is shown once')}>
          {t('The service stores a hash of the secret only.')}
        </Alert>
      )}
      <Snippet label={t('credentials')} code={isKey ? clientId : credentials} />
      <Group justify="flex-end">
        <Button onClick={onClose}>{t('Done')}</Button>
      </Group>
    </Stack>
  );
}
