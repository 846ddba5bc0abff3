/** Saved views of the page: open, save, rename, share, pin and delete. */

import { ActionIcon, Badge, Button, Group, Menu, Modal } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'wouter';
import { type SavedView, ViewService } from '../../../gen/es/personalisation/v1/view_service_pb.js';
import { ChangeDialog, Form } from '../kit/dialog.tsx';
import { SwitchField, TextField } from '../kit/fields.tsx';
import { Library, Pencil, Pin, Plus, Trash2 } from '../kit/icons.ts';
import { Hint } from '../kit/page.tsx';
import { useChange, useRead } from '../kit/queries.ts';
import { DataTable } from '../kit/table.tsx';
import { useAddress } from '../service/address.ts';
import { useConsole } from '../service/console-context.ts';
import { t } from '../texts/texts.ts';

/** Views on the overview. */
export const mostPinned = 8;

/** Views that the reader sees, by name. */
export function useViews(): SavedView[] {
  const { data } = useRead(ViewService.method.listViews);
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
          <Button leftSection={<Library size={15} />}>{t('Views')}</Button>
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
      {draft && <ViewDialog draft={draft} views={views} onClose={() => setDraft(undefined)} />}
    </>
  );
}

type ViewDialogProps = { draft: Draft; views: readonly SavedView[]; onClose(): void };

/** Saves a new view, or changes one. */
function ViewDialog({ draft, views, onClose }: ViewDialogProps) {
  const { mayChange } = useConsole();
  const [{ viewId, revision = 0, ...view }, setView] = useState(draft);
  const put = useChange(ViewService.method.putView);
  const isFull = views.filter((other) => other.pinned && other.viewId !== viewId).length >= mostPinned;
  const { title, query, shared, pinned } = view;
  const save = () => {
    const id = viewId ?? crypto.randomUUID();
    const document = { title: title.trim(), query, shared, pinned };
    const write = { viewId: id, view: document, expectedRevision: revision };
    put.mutate(write, { onSuccess: onClose });
  };
  const change = (changes: Partial<Draft>) => setView((before) => ({ ...before, ...changes }));
  return (
    <Modal opened onClose={onClose} title={viewId ? t('Change the view') : t('Save this view')}>
      <Form submit={t('Save')} isIncomplete={!title.trim()} {...put} onSubmit={save} onClose={onClose}>
        <TextField
          label={t('Name')}
          maxLength={256}
          data-autofocus
          value={title}
          onChange={(title) => change({ title })}
        />
        <SwitchField
          label={t('Shared')}
          description={
            mayChange('metrics')
              ? t('Everyone who reads the metrics of this environment sees it.')
              : t('Sharing needs the role editor.')
          }
          checked={shared}
          disabled={!mayChange('metrics')}
          onChange={(shared) => change({ shared })}
        />
        <SwitchField
          label={t('Pin to the overview')}
          description={
            isFull
              ? t('The overview shows at most {mostPinned} views; unpin one first.', { mostPinned })
              : undefined
          }
          checked={pinned}
          disabled={isFull && !pinned}
          onChange={(pinned) => change({ pinned })}
        />
      </Form>
    </Modal>
  );
}

type ViewsProps = { views: readonly SavedView[]; onEdit(view: SavedView): void };

function Views({ views, onEdit }: ViewsProps) {
  const { mayChange } = useConsole();
  const [removed, setRemoved] = useState<SavedView>();
  const { viewId = '', revision: expectedRevision } = removed ?? {};
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
      <ChangeDialog
        isOpen={removed !== undefined}
        title={t('Delete {title}?', { title: removed?.title })}
        confirm={t('Delete')}
        method={ViewService.method.deleteView}
        request={{ viewId, expectedRevision }}
        onClose={() => setRemoved(undefined)}
      >
        {removed?.shared ? t('It disappears for everyone who sees it.') : t('It cannot be restored.')}
      </ChangeDialog>
    </>
  );
}
