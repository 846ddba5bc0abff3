import { Button, Group, Loader, Paper, Select, Text } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'wouter';
import { ConditionFields } from '../configurations/editor/condition-fields.tsx';
import type { Condition } from '../grammar/document.ts';
import { useProperties } from '../grammar/properties.ts';
import { conditionWords } from '../grammar/words.ts';
import { AddButton, LateInput, RemoveButton, SwitchField, ViewSwitch } from '../kit/fields.tsx';
import { formatCount } from '../kit/format.ts';
import { FileUp, PackageOpen, Search } from '../kit/icons.ts';
import { Empty, ErrorNotice, Hint, Loading, PageFrame } from '../kit/page.tsx';
import { useAddress } from '../service/address.ts';
import { useConsole } from '../service/console-context.ts';
import { t } from '../texts/texts.ts';
import { BulkActions } from './bulk-actions.tsx';
import { ColumnChoice } from './columns.tsx';
import { Entries, useEntries } from './entries.tsx';
import { type Filters, readConditions, useItemPages, writeConditions } from './queries.ts';

const views = { table: t('Table'), grid: t('Grid') };

/** All items, by filters in the address. */
export function CatalogueList() {
  const { environment, mayChange } = useConsole();
  const { values, set } = useAddress<keyof Filters | 'view' | 'variants'>();
  const { view, variants, ...given } = values;
  const filters: Filters = { text: '', type: '', status: '', missing: '', order: '', where: '', ...given };
  const pages = useItemPages(filters);
  const { data, error, refetch, isFetchingNextPage } = pages;
  const items = data?.pages.flatMap((page) => page.items) ?? [];
  const totalSize = data?.pages[0]?.totalSize ?? 0;
  const isTogether = variants === 'together';
  const entries = useEntries(items, filters, isTogether);

  const isEmpty = environment.itemCount === 0;
  return (
    <PageFrame
      title={t('Catalogue')}
      lead={t('{itemCount} items to find, sort and fix.', { itemCount: formatCount(environment.itemCount) })}
      actions={mayChange('items') && <ImportButton />}
    >
      <ViewSwitch views={views} />
      <FilterBar filters={filters} onChange={set} />
      <PropertyFilters where={filters.where} onChange={(where) => set({ where })} />
      <Group justify="space-between" mt="md" mb={6} mih={20}>
        <Hint className="numbers">
          <span role="status">{data && t('{total} found', { total: formatCount(totalSize) })}</span>
        </Hint>
        {isFetchingNextPage && <Loader size={14} role="status" aria-label={t('Loading more')} />}
        <Group gap="xs">
          <SwitchField
            label={t('Variants together')}
            size="xs"
            checked={isTogether}
            onChange={(isOn) => set({ variants: isOn ? 'together' : '' })}
          />
          {view !== 'grid' && <ColumnChoice />}
          {totalSize > 0 && mayChange('items') && <BulkActions filters={filters} count={totalSize} />}
        </Group>
      </Group>
      {error && <ErrorNotice error={error} onRetry={refetch} />}
      {!data && !error && <Loading h={420} />}
      {data && items.length === 0 && (
        <Empty icon={PackageOpen} title={isEmpty ? t('The catalogue is empty') : t('No items match')}>
          {isEmpty
            ? t('Import a file, or send items with PUT.')
            : t('Remove a filter, or search for another word.')}
        </Empty>
      )}
      {items.length > 0 && (
        <Entries
          key={view}
          entries={entries}
          count={isTogether ? -1 : totalSize}
          pages={pages}
          isGrid={view === 'grid'}
        />
      )}
    </PageFrame>
  );
}

function ImportButton() {
  const href = useConsole().pathTo('catalogue/import');
  return (
    <Button component={Link} href={href} leftSection={<FileUp size={15} />} data-create>
      {t('Import a file')}
    </Button>
  );
}

const missing = {
  title: t('No title'),
  images: t('No picture'),
  price: t('No price'),
  description: t('No description'),
  categories: t('No category'),
};

const typingMs = 180;

type FilterBarProps = { filters: Filters; onChange(changes: Partial<Filters>): void };

function FilterBar({ filters, onChange }: FilterBarProps) {
  const { environment } = useConsole();
  const properties = useProperties('here');
  const any = (label: string) => ({ value: '', label });
  const select = (label: string, key: keyof Filters, data: (string | { value: string; label: string })[]) => (
    <Select
      aria-label={label}
      data={data}
      value={filters[key]}
      onChange={(value) => onChange({ [key]: value ?? '' })}
      flex="1 1 140px"
      maw={220}
    />
  );
  const orders = properties.flatMap(({ key, label, type }) =>
    type === 'string[]'
      ? []
      : [
          { value: key, label: `${label} ↑` },
          { value: `${key} desc`, label: `${label} ↓` },
        ],
  );
  return (
    <Group gap="sm">
      <LateInput
        aria-label={t('Title or ID')}
        placeholder={t('Title or ID')}
        leftSection={<Search size={15} />}
        pauseMs={typingMs}
        value={filters.text}
        onChange={(typed) => onChange({ text: typed })}
        flex="3 1 220px"
      />
      {select(t('Type'), 'type', [any(t('All types')), ...environment.itemTypes.map(({ name }) => name)])}
      {select(t('Status'), 'status', [
        any(t('Any status')),
        { value: 'enabled', label: t('Enabled') },
        { value: 'disabled', label: t('Disabled') },
        { value: 'expired', label: t('Expired') },
      ])}
      {select(t('Completeness'), 'missing', [
        any(t('Any completeness')),
        ...Object.entries(missing)
          .filter(
            ([key]) =>
              ['images', 'title'].includes(key) || properties.some((property) => property.key === key),
          )
          .map(([value, label]) => ({ value, label })),
      ])}
      {select(t('Order'), 'order', [any(t('By type and ID')), ...orders])}
    </Group>
  );
}

type PropertyFiltersProps = { where: string; onChange(where: string): void };

/** Conditions on properties in words; one is open for editing. */
function PropertyFilters({ where, onChange }: PropertyFiltersProps) {
  const conditions = readConditions(where);
  const [open, setOpen] = useState<number>();
  const set = (next: Condition[]) => onChange(writeConditions(next));
  const opened = open === undefined ? undefined : conditions[open];
  return (
    <>
      <Group gap="xs" mt="sm">
        {conditions.map((condition, index) => (
          <Chip
            // biome-ignore lint/suspicious/noArrayIndexKey: a condition is its index
            key={index}
            words={condition.key ? conditionWords(condition) : t('Choose a property')}
            isOpen={open === index}
            onToggle={() => setOpen(open === index ? undefined : index)}
            onRemove={() => {
              setOpen(undefined);
              set(conditions.toSpliced(index, 1));
            }}
          />
        ))}
        <AddButton
          variant="subtle"
          size="compact-sm"
          onClick={() => {
            set([...conditions, { key: '', tests: [] }]);
            setOpen(conditions.length);
          }}
        >
          {t('Filter by property')}
        </AddButton>
      </Group>
      {open !== undefined && opened && (
        <Paper p="sm" mt="xs" maw={560} role="group" aria-label={t('Filter')}>
          <ConditionFields
            key={open}
            condition={opened}
            onChange={(next) => set(conditions.with(open, next))}
            takesVariables={false}
          />
        </Paper>
      )}
    </>
  );
}

type ChipProps = { words: string; isOpen: boolean; onToggle(): void; onRemove(): void };

function Chip({ words, isOpen, onToggle, onRemove }: ChipProps) {
  return (
    <Group gap={0} wrap="nowrap" maw="100%">
      <Button variant="light" size="compact-sm" aria-expanded={isOpen} onClick={onToggle}>
        <Text size="sm" truncate>
          <bdi>{words}</bdi>
        </Text>
      </Button>
      <RemoveButton name={words} onClick={onRemove} />
    </Group>
  );
}
