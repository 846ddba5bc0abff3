import { useInfiniteQuery, useMutation } from '@connectrpc/connect-query';
import { Alert, Badge, Button, Flex, Group, Modal, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { Person } from '../../../gen/es/personalisation/v1/person_pb.js';
import { PersonService } from '../../../gen/es/personalisation/v1/person_service_pb.js';
import { ConfirmDialog } from '../kit/dialog.tsx';
import { formatMoment, momentOf } from '../kit/format.ts';
import { Plus, Users } from '../kit/icons.ts';
import { Empty, ErrorNotice, Hint, Loading, PageFrame } from '../kit/page.tsx';
import { byPageToken, useRefresh } from '../kit/queries.ts';
import { Snippet } from '../kit/snippet.tsx';
import { type Column, DataTable, MoreButton, TablePaper } from '../kit/table.tsx';
import { useConsole } from '../service/console-context.ts';
import { settings } from '../service/settings.ts';
import { t } from '../texts/texts.ts';
import { InviteForm, RolesForm } from './forms.tsx';

const { method } = PersonService;

type Asked = { action: 'invite' } | { action: 'roles' | 'reset' | 'remove'; person: Person };

/** The people of the console, with the roles that the reader administers. */
export function Page() {
  const pages = useInfiniteQuery(method.listPeople, { pageToken: '' }, byPageToken);
  const [asked, setAsked] = useState<Asked>();
  const [link, setLink] = useState<string>();
  const { data, error, refetch } = pages;
  const people = data?.pages.flatMap((page) => page.people) ?? [];
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
        <Button leftSection={<Plus size={15} aria-hidden />} onClick={() => setAsked({ action: 'invite' })}>
          {t('Invite')}
        </Button>
      }
    >
      {error && <ErrorNotice error={error} onRetry={refetch} />}
      {!data && !error && <Loading h={240} />}
      {data && people.length === 0 && (
        <Empty icon={Users} title={t('Nobody is invited yet')}>
          {t('Invite a person to get a link. Pass it on: it sets the password of the person.')}
        </Empty>
      )}
      {people.length > 0 && <PeopleTable people={people} onAsk={setAsked} />}
      <MoreButton pages={pages} />
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

type TableProps = { people: Person[]; onAsk(asked: Asked): void };

function PeopleTable({ people, onAsk }: TableProps) {
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
              {t('Invited; the link works until {time}', {
                time: formatMoment(momentOf(linkExpireTime)!),
              })}
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
    <TablePaper>
      <DataTable rows={people} keyOf={({ personId }) => personId} columns={columns} />
    </TablePaper>
  );
}

const elsewhere = t('This person has roles in environments that you do not administer.');

function Actions({ person, onAsk }: { person: Person; onAsk(asked: Asked): void }) {
  const guard = { disabled: !person.manageable, title: person.manageable ? undefined : elsewhere };
  return (
    <Flex gap="xs" wrap={{ base: 'wrap', sm: 'nowrap' }} justify="flex-end">
      <Button variant="default" size="compact-xs" onClick={() => onAsk({ action: 'roles', person })}>
        {t('Roles')}
      </Button>
      <Button
        variant="default"
        size="compact-xs"
        {...guard}
        onClick={() => onAsk({ action: 'reset', person })}
      >
        {t('Reset')}
      </Button>
      <Button
        variant="default"
        size="compact-xs"
        {...guard}
        onClick={() => onAsk({ action: 'remove', person })}
      >
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

type ResetProps = { person: Person; onReset(link: string): void; onClose(): void };

function Reset({ person: { personId, name }, onReset, onClose }: ResetProps) {
  const reset = useMutation(method.resetPerson, {
    ...useRefresh(),
    onSuccess: ({ linkPath }) => onReset(linkPath),
  });
  return (
    <ConfirmDialog
      isOpen
      title={t('Reset the access of {name}?', { name })}
      confirm={t('Reset')}
      mutation={reset}
      onConfirm={() => reset.mutate({ personId })}
      onClose={onClose}
    >
      {t(
        'The password and the second factor stop working, and sessions end within 10 seconds. You get a link that sets a new password.',
      )}
    </ConfirmDialog>
  );
}

function Remove({ person: { personId, name }, onClose }: { person: Person; onClose(): void }) {
  const remove = useMutation(method.removePerson, { ...useRefresh(), onSuccess: onClose });
  return (
    <ConfirmDialog
      isOpen
      title={t('Remove {name}?', { name })}
      confirm={t('Remove')}
      mutation={remove}
      onConfirm={() => remove.mutate({ personId })}
      onClose={onClose}
    >
      {t('Sessions end within 10 seconds. Versions and changes keep the name.')}
    </ConfirmDialog>
  );
}

function LinkDialog({ link, onClose }: { link?: string; onClose(): void }) {
  const address = `${location.origin}${settings.prefix}${link}`;
  return (
    <Modal
      opened={link !== undefined}
      onClose={onClose}
      title={t('Link to pass on')}
      closeOnClickOutside={false}
    >
      <Stack gap="sm">
        <Alert color="orange" title={t('Copy the link now; it is shown once')}>
          {t(
            'It works once, within 7 days. Whoever has it sets the password, so send it only to the person.',
          )}
        </Alert>
        <Snippet label={t('link')} code={address} />
        <Group justify="flex-end">
          <Button onClick={onClose}>{t('Done')}</Button>
        </Group>
      </Stack>
    </Modal>
  );
}
