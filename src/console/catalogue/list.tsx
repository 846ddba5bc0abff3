import { Button, Group, Loader, Switch } from '@mantine/core';
import { Link } from 'wouter';
import { ViewSwitch } from '../kit/fields.tsx';
import { formatCount } from '../kit/format.ts';
import { FileUp, PackageOpen } from '../kit/icons.ts';
import { Empty, ErrorNotice, Hint, Loading, PageFrame } from '../kit/page.tsx';
import { useAddress } from '../service/address.ts';
import { useConsole } from '../service/console-context.ts';
import { t } from '../texts/texts.ts';
import { BulkActions } from './bulk-actions.tsx';
import { ColumnChoice } from './columns.tsx';
import { Entries } from './entries.tsx';
import { FilterBar } from './filter-bar.tsx';
import { PropertyFilters } from './property-filters.tsx';
import { type Filters, useItemPages } from './queries.ts';
import { useEntries } from './variants.ts';

const views = [
  { value: 'table', label: t('Table') },
  { value: 'grid', label: t('Grid') },
];

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
          <Switch
            label={t('Variants together')}
            size="xs"
            checked={isTogether}
            onChange={(event) => set({ variants: event.currentTarget.checked ? 'together' : '' })}
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
    <Button
      component={Link}
      href={href}
      variant="default"
      leftSection={<FileUp size={15} aria-hidden />}
      data-create
    >
      {t('Import a file')}
    </Button>
  );
}
