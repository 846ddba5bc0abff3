/** Saved views of the page: open, save, rename, share, pin and delete. */

import { useMutation, useQuery } from '@connectrpc/connect-query';
import { ActionIcon, Badge, Button, Group, Menu, Modal, Stack, Switch, TextInput } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'wouter';
import { type SavedView, ViewService } from '../../../gen/es/personalisation/v1/view_service_pb.js';
import { ConfirmDialog } from '../kit/dialog.tsx';
import { Library, Pencil, Pin, Plus, Trash2 } from '../kit/icons.ts';
import { ErrorNotice, Hint } from '../kit/page.tsx';
import { useRefresh } from '../kit/queries.ts';
import { DataTable } from '../kit/table.tsx';
import { useAddress } from '../service/address.ts';
import { useConsole } from '../service/console-context.ts';
import { t } from '../texts/texts.ts';

/** Views on the overview. */
export const mostPinned = 8;

/** Views that the reader sees, by name. */
export function useViews(): SavedView[] {
  const { environment } = useConsole();
  const { data } = useQuery(ViewService.method.listViews, { environment: environment.name });
  return (data?.views ?? []).toSorted((a, b) => a.title.localeCompare(b.title));
}

/** Address of a view. */
export function usePathOf(): (view: SavedView) => string {
  const { pathTo } = useConsole();
  return ({ query }) => `${pathTo('metrics')}?${new URLSearchParams(query)}`;
}

type Draft = Pick<SavedView, 'title' | 'query' | 'shared' | 'pinned'> & Partial<SavedView>;

/** Menu of the views. */
export function SavedViews() {
  const views = useViews();
  const pathOf = usePathOf();
  const { values } = useAddress();
  const [draft, setDraft] = useState<Draft>();
  const [isManaged, setManaged] = useState(false);
  const query = String(new URLSearchParams(values as Record<string, string>));
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button variant="default" leftSection={<Library size={15} aria-hidden />}>
            {t('Views')}
          </Button>
        </Menu.Target>
        <Menu.Dropdown mah={400} style={{ overflowY: 'auto' }}>
          {views.map((view) => (
            <Menu.Item key={view.viewId} component={Link} href={pathOf(view)}>
              <bdi>{view.title}</bdi>
            </Menu.Item>
          ))}
          {views.length > 0 && <Menu.Divider />}
          <Menu.Item
            leftSection={<Plus size={14} />}
            onClick={() => setDraft({ title: '', query, shared: false, pinned: false })}
          >
            {t('Save this view …')}
          </Menu.Item>
          {views.length > 0 && (
            <Menu.Item leftSection={<Pencil size={14} />} onClick={() => setManaged(true)}>
              {t('Manage views …')}
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      <Modal opened={isManaged && !draft} onClose={() => setManaged(false)} title={t('Views')} size="lg">
        <Views views={views} onEdit={setDraft} />
      </Modal>
      {draft && <Form draft={draft} views={views} onClose={() => setDraft(undefined)} />}
    </>
  );
}

type FormProps = { draft: Draft; views: readonly SavedView[]; onClose(): void };

/** Saves a new view, or changes one. */
function Form({ draft, views, onClose }: FormProps) {
  const { environment, mayChange } = useConsole();
  const [{ viewId, revision = 0, ...view }, setView] = useState(draft);
  const put = useMutation(ViewService.method.putView, useRefresh());
  const isFull = views.filter((other) => other.pinned && other.viewId !== viewId).length >= mostPinned;
  const { title, query, shared, pinned } = view;
  const save = () => {
    const id = viewId ?? crypto.randomUUID();
    const document = { title: title.trim(), query, shared, pinned };
    const write = { environment: environment.name, viewId: id, view: document, expectedRevision: revision };
    put.mutate(write, { onSuccess: onClose });
  };
  const change = (changes: Partial<Draft>) => setView((before) => ({ ...before, ...changes }));
  return (
    <Modal opened onClose={onClose} title={viewId ? t('Change the view') : t('Save this view')}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          save();
        }}
      >
        <Stack gap="sm">
          <TextInput
            label={t('Name')}
            maxLength={256}
            data-autofocus
            value={title}
            onChange={(event) => change({ title: event.currentTarget.value })}
          />
          <Switch
            label={t('Shared')}
            description={
              mayChange('metrics')
                ? t('Everyone who reads the metrics of this environment sees it.')
                : t('Sharing needs the role editor.')
            }
            checked={shared}
            disabled={!mayChange('metrics')}
            onChange={(event) => change({ shared: event.currentTarget.checked })}
          />
          <Switch
            label={t('Pin to the overview')}
            description={
              isFull
                ? t('The overview shows at most {mostPinned} views; unpin one first.', { mostPinned })
                : undefined
            }
            checked={pinned}
            disabled={isFull && !pinned}
            onChange={(event) => change({ pinned: event.currentTarget.checked })}
          />
          {put.error && <ErrorNotice error={put.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t('Cancel')}
            </Button>
            <Button type="submit" loading={put.isPending} disabled={!title.trim()}>
              {t('Save')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

type ViewsProps = { views: readonly SavedView[]; onEdit(view: SavedView): void };

function Views({ views, onEdit }: ViewsProps) {
  const { environment, mayChange } = useConsole();
  const [removed, setRemoved] = useState<SavedView>();
  const remove = useMutation(ViewService.method.deleteView, useRefresh());
  const close = () => setRemoved(undefined);
  const { viewId = '', revision: expectedRevision } = removed ?? {};
  const named = { environment: environment.name, viewId, expectedRevision };
  return (
    <>
      <DataTable
        rows={views}
        keyOf={({ viewId: id }) => id!}
        columns={[
          {
            label: t('Name'),
            cell: ({ title, pinned }) => (
              <>
                <bdi>{title}</bdi> {pinned && <Pin size={13} aria-label={t('On the overview')} role="img" />}
              </>
            ),
          },
          {
            label: t('Seen by'),
            cell: ({ shared, clientName }) =>
              shared ? (
                <Badge color="gray">{t('Everyone')}</Badge>
              ) : (
                <Hint title={clientName}>{t('Only you')}</Hint>
              ),
          },
          {
            label: t('Actions'),
            isActions: true,
            cell: (view) =>
              (!view.shared || mayChange('metrics')) && (
                <Group gap={4} justify="flex-end" wrap="nowrap">
                  <ActionIcon
                    variant="subtle"
                    aria-label={t('Change {title}', { title: view.title })}
                    onClick={() => onEdit(view)}
                  >
                    <Pencil size={15} />
                  </ActionIcon>
                  <ActionIcon
                    variant="subtle"
                    aria-label={t('Delete {title}', { title: view.title })}
                    onClick={() => setRemoved(view)}
                  >
                    <Trash2 size={15} />
                  </ActionIcon>
                </Group>
              ),
          },
        ]}
      />
      <ConfirmDialog
        isOpen={removed !== undefined}
        title={t('Delete {title}?', { title: removed?.title })}
        confirm={t('Delete')}
        mutation={remove}
        onConfirm={() => remove.mutate(named, { onSuccess: close })}
        onClose={close}
      >
        {removed?.shared ? t('It disappears for everyone who sees it.') : t('It cannot be restored.')}
      </ConfirmDialog>
    </>
  );
}
