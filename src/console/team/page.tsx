import { Badge, Button, Flex, Group, Modal, Select, Text } from '@mantine/core';
import { useState } from 'react';
import type { Person } from '../../../gen/es/personalisation/v1/person_pb.js';
import { PersonService } from '../../../gen/es/personalisation/v1/person_service_pb.js';
import { permits } from '../../formats/scopes.ts';
import { ChangeDialog, Form } from '../kit/dialog.tsx';
import { TextField } from '../kit/fields.tsx';
import { formatMoment, momentOf } from '../kit/format.ts';
import { Plus, Users } from '../kit/icons.ts';
import { Empty, Hint, PageFrame } from '../kit/page.tsx';
import { useChange, usePages } from '../kit/queries.ts';
import { NewSecret } from '../kit/snippet.tsx';
import { type Column, PagedTable, type PagedTableProps } from '../kit/table.tsx';
import { useConsole } from '../service/console-context.ts';
import { settings } from '../service/settings.ts';
import { t } from '../texts/texts.ts';

const { method } = PersonService;

type Asked = { action: 'invite' } | { action: 'roles' | 'reset' | 'remove'; person: Person };

/** The people of the console, with the roles that the reader administers. */
export function Page() {
  const pages = usePages(method.listPeople, {}, (page) => page.people);
  const [asked, setAsked] = useState<Asked>();
  const [link, setLink] = useState<string>();
  const close = () => setAsked(undefined);
  const show = (made: string) => {
    close();
    setLink(made);
  };
  return (
    <PageFrame
      title={t('Team')}
      lead={t('People who use the console, and what they may do in each environment.')}
      actions={
        <Button
          variant="filled"
          leftSection={<Plus size={15} />}
          onClick={() => setAsked({ action: 'invite' })}
        >
          {t('Invite')}
        </Button>
      }
    >
      <PeopleTable pages={pages} onAsk={setAsked} />
      <Modal opened={asked?.action === 'invite'} onClose={close} title={t('Invite a person')}>
        {asked?.action === 'invite' && <InviteForm onInvited={show} onClose={close} />}
      </Modal>
      {asked?.action === 'roles' && <RolesForm person={asked.person} onClose={close} />}
      {asked?.action === 'reset' && <Reset person={asked.person} onReset={show} onClose={close} />}
      {asked?.action === 'remove' && <Remove person={asked.person} onClose={close} />}
      <LinkDialog link={link} onClose={() => setLink(undefined)} />
    </PageFrame>
  );
}

type TableProps = Pick<PagedTableProps<Person>, 'pages'> & { onAsk(asked: Asked): void };

function PeopleTable({ pages, onAsk }: TableProps) {
  const { session } = useConsole();
  const columns: Column<Person>[] = [
    {
      label: t('Person'),
      cell: ({ personId, name, email, linkExpireTime, secondFactor }) => (
        <>
          <Text size="sm" fw={500}>
            <bdi>{name}</bdi>
            {personId === session.clientId && t(' (you)')}
          </Text>
          <Hint>{email}</Hint>
          {secondFactor && <Hint>{t('Second factor')}</Hint>}
          {linkExpireTime && (
            <Hint>
              {t('Invited; the link works until {time}', { time: formatMoment(momentOf(linkExpireTime)!) })}
            </Hint>
          )}
        </>
      ),
    },
    {
      label: t('Roles'),
      cell: ({ roles }) => (
        <Group gap={4}>
          {roles.map((role) => (
            <Badge key={role} color="gray" radius="md" h="auto" miw={0} styles={wrapped}>
              {roleWords(role)}
            </Badge>
          ))}
        </Group>
      ),
    },
    {
      label: t('Actions'),
      isActions: true,
      width: 1,
      cell: (person) => person.personId !== session.clientId && <Actions person={person} onAsk={onAsk} />,
    },
  ];
  return (
    <PagedTable
      pages={pages}
      keyOf={({ personId }) => personId}
      columns={columns}
      empty={
        <Empty icon={Users} title={t('Nobody is invited yet')}>
          {t('Invite a person to get a link. Pass it on: it sets the password of the person.')}
        </Empty>
      }
    />
  );
}

const elsewhere = t('This person has roles in environments that you do not administer.');

function Actions({ person, onAsk }: { person: Person; onAsk(asked: Asked): void }) {
  const guard = { disabled: !person.manageable, title: person.manageable ? undefined : elsewhere };
  return (
    <Flex gap="xs" wrap={{ base: 'wrap', sm: 'nowrap' }} justify="flex-end">
      <Button size="compact-xs" onClick={() => onAsk({ action: 'roles', person })}>
        {t('Roles')}
      </Button>
      <Button size="compact-xs" {...guard} onClick={() => onAsk({ action: 'reset', person })}>
        {t('Reset')}
      </Button>
      <Button size="compact-xs" {...guard} onClick={() => onAsk({ action: 'remove', person })}>
        {t('Remove')}
      </Button>
    </Flex>
  );
}

/** Badges wrap in narrow windows. */
const wrapped = { label: { whiteSpace: 'normal', overflowWrap: 'break-word' } } as const;

const roleNames: Readonly<Record<string, string>> = {
  viewer: t('viewer'),
  editor: t('editor'),
  publisher: t('publisher'),
  admin: t('admin'),
};

/** `editor in shop` for `editor:shop`. */
function roleWords(role: string): string {
  const [name, environment] = role.split(':');
  return t(environment === '*' ? '{role} in all environments' : '{role} in {environment}', {
    role: roleNames[name] ?? name,
    environment,
  });
}

type PersonDialogProps = { person: Person; onReset(link: string): void; onClose(): void };

const Reset = ({ person: { personId, name }, onReset, onClose }: PersonDialogProps) => (
  <ChangeDialog
    isOpen
    title={t('Reset the access of {name}?', { name })}
    confirm={t('Reset')}
    method={method.resetPerson}
    request={{ personId }}
    onDone={({ linkPath }) => onReset(linkPath)}
    onClose={onClose}
  >
    {t(
      'The password and the second factor stop working, and sessions end within 10 seconds. You get a link that sets a new password.',
    )}
  </ChangeDialog>
);

const Remove = ({ person: { personId, name }, onClose }: Omit<PersonDialogProps, 'onReset'>) => (
  <ChangeDialog
    isOpen
    title={t('Remove {name}?', { name })}
    confirm={t('Remove')}
    method={method.removePerson}
    request={{ personId }}
    onClose={onClose}
  >
    {t('Sessions end within 10 seconds. Versions and changes keep the name.')}
  </ChangeDialog>
);

function LinkDialog({ link, onClose }: { link?: string; onClose(): void }) {
  const address = `${location.origin}${settings.prefix}${link}`;
  return (
    <Modal
      opened={link !== undefined}
      onClose={onClose}
      title={t('Link to pass on')}
      closeOnClickOutside={false}
    >
      <NewSecret
        title={t('Copy the link now; it is shown once')}
        hint={t(
          'It works once, within 7 days. Whoever has it sets the password, so send it only to the person.',
        )}
        label={t('link')}
        code={address}
        onClose={onClose}
      />
    </Modal>
  );
}

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

function InviteForm({ onInvited, onClose }: { onInvited(link: string): void; onClose(): void }) {
  const { environment } = useConsole();
  const [name, setName] = useState('');
  const [email, setEmail] = useState('');
  const [roles, setRoles] = useState<Roles>({ [environment.name]: 'viewer' });
  const invite = useChange(method.invitePerson, ({ linkPath }) => onInvited(linkPath));
  const chosen = rolesOf(roles);
  return (
    <Form
      submit={t('Invite')}
      lack={chosen.length === 0 ? t('Choose at least one role.') : undefined}
      {...invite}
      onSubmit={() => invite.mutate({ person: { name, email, roles: chosen } })}
      onClose={onClose}
    >
      <TextField label={t('Name')} data-autofocus required maxLength={200} value={name} onChange={setName} />
      <TextField
        label={t('E-mail address')}
        type="email"
        required
        maxLength={254}
        value={email}
        onChange={setEmail}
      />
      <RoleFields roles={roles} onChange={setRoles} />
    </Form>
  );
}

function RolesForm({ person, onClose }: { person: Person; onClose(): void }) {
  const { personId, name } = person;
  const [roles, setRoles] = useState<Roles>(() =>
    Object.fromEntries(person.roles.map((role) => role.split(':').toReversed())),
  );
  const change = useChange(method.setPersonRoles, onClose);
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
