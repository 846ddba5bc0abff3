/** Forms of an invitation and of roles: a role for each environment that the reader administers. */

import { useMutation } from '@connectrpc/connect-query';
import { Button, Group, Modal, Select, Stack, TextInput } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import type { Person } from '../../../gen/es/personalisation/v1/person_pb.js';
import { PersonService } from '../../../gen/es/personalisation/v1/person_service_pb.js';
import { permits } from '../../formats/scopes.ts';
import { ErrorNotice } from '../kit/page.tsx';
import { useRefresh } from '../kit/queries.ts';
import { useConsole } from '../service/console-context.ts';
import { t } from '../texts/texts.ts';

const { method } = PersonService;

const roleChoices = [
  { value: '', label: t('No access') },
  { value: 'viewer', label: t('Viewer: sees everything, changes nothing') },
  { value: 'editor', label: t('Editor: changes rule sets and items') },
  { value: 'publisher', label: t('Publisher: also publishes where approval is required') },
  { value: 'admin', label: t('Admin: everything, people too') },
];

type Roles = Readonly<Record<string, string>>;

const rolesOf = (roles: Roles): string[] =>
  Object.entries(roles).flatMap(([place, role]) => (role ? [`${role}:${place}`] : []));

/** A field for each environment, and one for all for administrators of all. */
function RoleFields({ roles, onChange }: { roles: Roles; onChange(roles: Roles): void }) {
  const { can, environments, session } = useConsole();
  const reached = environments.filter(({ name }) => permits(session.scopes, 'admin', name));
  const places = [...(can('admin', 'everywhere') ? ['*'] : []), ...reached.map(({ name }) => name)];
  return places.map((place) => (
    <Select
      key={place}
      label={place === '*' ? t('Role in all environments') : t('Role in {place}', { place })}
      data={roleChoices}
      value={roles[place] ?? ''}
      onChange={(role) => onChange({ ...roles, [place]: role ?? '' })}
      allowDeselect={false}
    />
  ));
}

type FormProps = {
  submit: string;
  lack?: string;
  isPending: boolean;
  error: Error | null;
  onSubmit(): void;
  onClose(): void;
  children: ReactNode;
};

function Form({ submit, lack, isPending, error, onSubmit, onClose, children }: FormProps) {
  const send = (event: FormEvent) => {
    event.preventDefault();
    onSubmit();
  };
  return (
    <form onSubmit={send}>
      <Stack gap="sm">
        {children}
        {error && <ErrorNotice error={error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t('Cancel')}
          </Button>
          <Button type="submit" loading={isPending} disabled={lack !== undefined} title={lack}>
            {submit}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

export function InviteForm({ onInvited, onClose }: { onInvited(link: string): void; onClose(): void }) {
  const { environment } = useConsole();
  const [name, setName] = useState('');
  const [email, setEmail] = useState('');
  const [roles, setRoles] = useState<Roles>({ [environment.name]: 'viewer' });
  const invite = useMutation(method.invitePerson, {
    ...useRefresh(),
    onSuccess: ({ linkPath }) => onInvited(linkPath),
  });
  const chosen = rolesOf(roles);
  return (
    <Form
      submit={t('Invite')}
      lack={chosen.length === 0 ? t('Choose at least one role.') : undefined}
      {...invite}
      onSubmit={() => invite.mutate({ person: { name, email, roles: chosen } })}
      onClose={onClose}
    >
      <TextInput
        label={t('Name')}
        data-autofocus
        required
        maxLength={200}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <TextInput
        label={t('E-mail address')}
        type="email"
        required
        maxLength={254}
        value={email}
        onChange={(event) => setEmail(event.currentTarget.value)}
      />
      <RoleFields roles={roles} onChange={setRoles} />
    </Form>
  );
}

export function RolesForm({ person, onClose }: { person: Person; onClose(): void }) {
  const { personId, name } = person;
  const [roles, setRoles] = useState<Roles>(() =>
    Object.fromEntries(person.roles.map((role) => role.split(':').toReversed())),
  );
  const change = useMutation(method.setPersonRoles, { ...useRefresh(), onSuccess: onClose });
  const chosen = rolesOf(roles);
  const isLast = chosen.length === 0 && person.manageable;
  return (
    <Modal opened onClose={onClose} title={t('Roles of {name}', { name })}>
      <Form
        submit={t('Save')}
        lack={isLast ? t('Choose at least one role, or remove the person.') : undefined}
        {...change}
        onSubmit={() => change.mutate({ personId, roles: chosen })}
        onClose={onClose}
      >
        <RoleFields roles={roles} onChange={setRoles} />
      </Form>
    </Modal>
  );
}
