import { createClient } from '@connectrpc/connect';
import { Button, Group, Menu, Progress, Select } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { CatalogueService } from '../../../gen/es/personalisation/v1/catalogue_service_pb.js';
import type { Item } from '../../../gen/es/personalisation/v1/item_pb.js';
import { csvRow } from '../../formats/records/csv.ts';
import { type Property, useProperties } from '../grammar/properties.ts';
import { ConfirmDialog } from '../kit/dialog.tsx';
import { TextField } from '../kit/fields.tsx';
import { saveText } from '../kit/files.ts';
import { formatCount, formatCounted } from '../kit/format.ts';
import { Download, Pencil } from '../kit/icons.ts';
import { Hint } from '../kit/page.tsx';
import { useRefresh } from '../kit/queries.ts';
import { useConsole } from '../service/console-context.ts';
import { t } from '../texts/texts.ts';
import { type Filters, mostTogether, readAll } from './queries.ts';

const actions = {
  enable: t('Enable'),
  disable: t('Disable'),
  tag: t('Add a tag'),
  untag: t('Remove a tag'),
  edit: t('Set a property'),
};
type Action = keyof typeof actions;

/** Items of one call. */
const batchSize = 500;

type BulkActionsProps = { filters: Filters; count: number };

/** Changes all items of the filter, or exports them. */
export function BulkActions({ filters, count }: BulkActionsProps) {
  const [action, setAction] = useState<Action>();
  const context = useConsole();
  const save = useMutation({
    mutationFn: () => readAll(context, filters),
    onSuccess: (items) => saveText('items.csv', csvOf(items)),
    onError: (error) => notifications.show({ color: 'red', message: error.message }),
  });
  return (
    <Group gap="xs">
      <Menu position="bottom-end">
        <Menu.Target>
          <Button size="compact-sm" leftSection={<Pencil size={14} />}>
            {t('Change {items}', { items: formatCounted(count, 'item') })}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {Object.entries(actions).map(([key, label]) => (
            <Menu.Item key={key} onClick={() => setAction(key as Action)}>
              {label} …
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      <Button
        size="compact-sm"
        leftSection={<Download size={14} />}
        loading={save.isPending}
        title={
          count > mostTogether
            ? t('Exports the first {mostTogether} items.', { mostTogether: formatCount(mostTogether) })
            : undefined
        }
        onClick={() => save.mutate()}
      >
        {t('Export')}
      </Button>
      {action && <BulkDialog {...{ action, filters, count }} onClose={() => setAction(undefined)} />}
    </Group>
  );
}

type BulkDialogProps = BulkActionsProps & { action: Action; onClose(): void };

function BulkDialog({ action, filters, count, onClose }: BulkDialogProps) {
  const properties = useProperties('here').filter(({ group }) => group !== t('All items'));
  const [key, setKey] = useState('');
  const [text, setText] = useState('');
  const property = properties.find((one) => one.key === key);
  const value = readValue(property, text);
  const needsText = !['enable', 'disable'].includes(action);
  const { change, doneCount } = useBulkChange(filters);
  const isTooMany = count > mostTogether;
  const isReady =
    !isTooMany && (!needsText || (action === 'edit' ? value !== undefined : text.trim() !== ''));
  const confirm = () =>
    change.mutate(
      (item) => ({
        ...(action === 'enable' || action === 'disable' ? { enabled: action === 'enable' } : {}),
        fields: fieldsOf(action, item, text.trim(), { key, value }),
      }),
      { onSuccess: onClose },
    );
  return (
    <ConfirmDialog
      isOpen
      isHarmless={action !== 'disable'}
      title={actions[action]}
      confirm={t('Change {items}', { items: formatCounted(count, 'item') })}
      isDisabled={!isReady}
      mutation={change}
      onConfirm={confirm}
      onClose={onClose}
    >
      {action === 'edit' && (
        <Select
          label={t('Property')}
          data={properties.map((one) => ({ value: one.key, label: one.label }))}
          value={key || null}
          onChange={(next) => setKey(next ?? '')}
          searchable
        />
      )}
      {needsText && (
        <TextField
          label={action === 'edit' ? t('Value') : t('Tag')}
          description={action === 'edit' ? hintOf(property) : undefined}
          value={text}
          onChange={setText}
          mt="xs"
        />
      )}
      <Hint size="sm" mt="sm">
        {isTooMany
          ? t('At most {mostTogether} items can be changed together. Add a filter.', {
              mostTogether: formatCount(mostTogether),
            })
          : t('This changes all {items} of the filter. It cannot be undone.', {
              items: formatCounted(count, 'item'),
            })}
      </Hint>
      {change.isPending && (
        <Progress mt="sm" value={(100 * doneCount) / count} aria-label={t('Progress')} animated />
      )}
    </ConfirmDialog>
  );
}

type Change = { enabled?: boolean; fields: object };

/** Changes the items in batches, and counts those that are done. */
function useBulkChange(filters: Filters) {
  const context = useConsole();
  const [doneCount, setDoneCount] = useState(0);
  const change = useMutation({
    async mutationFn(changeOf: (item: Item) => Change) {
      const service = createClient(CatalogueService, context.connection.transport);
      const items = await readAll(context, filters);
      let refusedCount = 0;
      for (let start = 0; start < items.length; start += batchSize) {
        const batch = items.slice(start, start + batchSize).map((item, i) => {
          const { enabled, fields } = changeOf(item);
          const json = JSON.stringify({ item_type: item.itemType, item_id: item.itemId, ...fields });
          return { line: BigInt(start + i), form: { case: 'json' as const, value: json }, enabled };
        });
        const answer = await service.putItems({
          environment: context.environment.name,
          items: batch,
          patch: true,
        });
        refusedCount += answer.refused.length;
        setDoneCount(start + batch.length);
      }
      return { changedCount: items.length - refusedCount, refusedCount };
    },
    ...useRefresh(),
    onSuccess: ({ changedCount, refusedCount }) =>
      notifications.show({
        color: refusedCount > 0 ? 'orange' : 'green',
        message: t(refusedCount > 0 ? '{items} changed, {refusedCount} refused.' : '{items} changed.', {
          items: formatCounted(changedCount, 'item'),
          refusedCount: formatCount(refusedCount),
        }),
      }),
  });
  return { change, doneCount };
}

function fieldsOf(
  action: Action,
  { tags }: Item,
  tag: string,
  { key, value }: { key: string; value: unknown },
): object {
  if (action === 'tag') return { tags: [...new Set([...tags, tag])] };
  if (action === 'untag') return { tags: tags.filter((one) => one !== tag) };
  return action === 'edit' ? { [key]: value } : {};
}

/** Reads a typed value; undefined while it is none. */
function readValue(property: Property | undefined, text: string): unknown {
  const typed = text.trim();
  if (!property || typed === '') return undefined;
  if (property.type === 'number') return Number.isFinite(Number(typed)) ? Number(typed) : undefined;
  if (property.type === 'boolean') return ({ true: true, false: false } as Record<string, boolean>)[typed];
  return property.type === 'string[]' ? typed.split(',').map((one) => one.trim()) : typed;
}

const hints: Record<string, string> = {
  number: t('A number'),
  boolean: t('true or false'),
  'string[]': t('Values, separated by commas'),
};
const hintOf = (property: Property | undefined) => property && hints[property.type];

/** CSV with a column for each declared property that an item has. */
function csvOf(items: readonly Item[]): string {
  const keys = [...new Set(items.flatMap(({ properties }) => Object.keys(properties ?? {})))].sort();
  const heads = ['item_type', 'item_id', 'title', 'enabled', 'categories', 'tags', ...keys];
  const rows = items.map((item) => [
    ...[item.itemType, item.itemId, item.title, String(item.enabled)],
    ...[item.categories.join(';'), item.tags.join(';')],
    ...keys.map((key) => textOf(item.properties?.[key])),
  ]);
  return [heads, ...rows].map(csvRow).join('\r\n');
}

function textOf(value: unknown): string | number | undefined {
  if (typeof value === 'number' || typeof value === 'string') return value;
  if (Array.isArray(value)) return value.join(';');
  return value === undefined ? undefined : String(value);
}
