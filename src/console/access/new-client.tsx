import { Button, Modal, MultiSelect, Select, TagsInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import { ClientKind } from '../../../gen/es/personalisation/v1/client_pb.js';
import {
  ClientService,
  type CreateClientResponse,
} from '../../../gen/es/personalisation/v1/client_service_pb.js';
import { scopeAreas } from '../../formats/scopes.ts';
import { Form } from '../kit/dialog.tsx';
import { TextField } from '../kit/fields.tsx';
import { Plus } from '../kit/icons.ts';
import { useChange } from '../kit/queries.ts';
import { NewSecret } from '../kit/snippet.tsx';
import { useConsole } from '../service/console-context.ts';
import { t } from '../texts/texts.ts';

/** Of each area, all of it or reading alone. */
const areas = scopeAreas.flatMap((area) => [area, `${area}.read`]);

/** Button and dialog that create a client. The secret is shown once, until the dialog closes. */
export function NewClient() {
  const [isOpen, dialog] = useDisclosure(false);
  return (
    <>
      <Button variant="filled" leftSection={<Plus size={15} />} onClick={dialog.open} data-create>
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
  const create = useChange(ClientService.method.createClient);
  const client = requestOf(draft);
  const isIncomplete = client.scopes.length === 0 || (draft.isWriteKey && draft.origins.length === 0);
  const lack = draft.isWriteKey ? t('Choose at least one origin.') : t('Choose at least one permission.');
  if (create.data) return <Created answer={create.data} onClose={onClose} />;
  return (
    <Form
      submit={t('Create')}
      lack={isIncomplete ? lack : undefined}
      {...create}
      onSubmit={() => create.mutate({ client })}
      onClose={onClose}
    >
      <Fields draft={draft} onChange={(changes) => setDraft({ ...draft, ...changes })} />
    </Form>
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
      <TextField
        label={t('Name')}
        placeholder={t('e.g. shop back end')}
        data-autofocus
        required
        maxLength={256}
        value={name}
        onChange={(name) => onChange({ name })}
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
  if (isKey)
    return (
      <NewSecret
        color="blue"
        title={t('Write key')}
        hint={t('The key is public: put it into your pages. It sends events from the allowed origins.')}
        label={t('credentials')}
        code={clientId}
        onClose={onClose}
      />
    );
  return (
    <NewSecret
      title={t('Copy the secret now; it is shown once')}
      hint={t('The service stores a hash of the secret only.')}
      label={t('credentials')}
      code={JSON.stringify({ client_id: clientId, client_secret: answer.clientSecret }, null, 2)}
      onClose={onClose}
    />
  );
}
