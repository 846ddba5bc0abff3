import { Badge, Button, Group, Loader, Paper, Text } from '@mantine/core';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { Link } from 'wouter';
import type { Item } from '../../../gen/es/personalisation/v1/item_pb.js';
import { formatAgo, formatCount } from '../kit/format.ts';
import { FileUp, PackageOpen } from '../kit/icons.ts';
import { itemPath } from '../kit/item-names.ts';
import { ItemPicture } from '../kit/item-picture.tsx';
import { usePrice } from '../kit/items.ts';
import { Empty, ErrorNotice, Hint, Loading, PageFrame } from '../kit/page.tsx';
import { useDense } from '../kit/preferences.ts';
import { useAddress } from '../service/address.ts';
import { useConsole } from '../service/console-context.ts';
import { BulkActions } from './bulk-actions.tsx';
import { FilterBar } from './filter-bar.tsx';
import classes from './list.module.css';
import { PropertyFilters } from './property-filters.tsx';
import { type Filters, useItemPages } from './queries.ts';

const rowHeights = { comfortable: 56, dense: 44 };
/** Rows rendered beyond the window; also how early the next page is loaded. */
const spareRows = 12;

/** All items, by filters in the address; only visible rows are rendered. */
export function CatalogueList() {
  const { environment, mayChange } = useConsole();
  const { values, set } = useAddress<keyof Filters>();
  const filters: Filters = { text: '', type: '', status: '', missing: '', order: '', where: '', ...values };
  const { data, error, refetch, fetchNextPage, hasNextPage, isFetchingNextPage } = useItemPages(filters);
  const items = data?.pages.flatMap((page) => page.items) ?? [];
  const totalSize = data?.pages[0]?.totalSize ?? 0;
  const list = useRef<HTMLUListElement>(null);
  const [scrollMargin, setScrollMargin] = useState(0);
  const rowHeight = rowHeights[useDense()[0] ? 'dense' : 'comfortable'];
  const rows = useWindowVirtualizer({
    ...{ count: items.length, overscan: spareRows, scrollMargin },
    estimateSize: () => rowHeight,
  });
  /** Filters and notices above the list move it. */
  useLayoutEffect(() => {
    const { current } = list;
    if (current) setScrollMargin(Math.round(current.getBoundingClientRect().top + scrollY));
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: rows of another height
  useEffect(() => rows.measure(), [rowHeight]);
  const visible = rows.getVirtualItems();
  const last = visible.at(-1)?.index ?? 0;
  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage && last >= items.length - spareRows) void fetchNextPage();
  }, [last, items.length, hasNextPage, isFetchingNextPage, fetchNextPage]);

  const isEmpty = environment.itemCount === 0;
  return (
    <PageFrame
      title="Catalogue"
      lead={`${formatCount(environment.itemCount)} items to find, sort and fix.`}
      actions={mayChange('items') && <ImportButton />}
    >
      <FilterBar filters={filters} onChange={set} />
      <PropertyFilters where={filters.where} onChange={(where) => set({ where })} />
      <Group justify="space-between" mt="md" mb={6} mih={20}>
        <Hint className="numbers">
          <span role="status">{data && `${formatCount(totalSize)} found`}</span>
        </Hint>
        {totalSize > 0 && mayChange('items') && <BulkActions filters={filters} count={totalSize} />}
        {isFetchingNextPage && <Loader size={14} role="status" aria-label="Loading more" />}
      </Group>
      {error && <ErrorNotice error={error} onRetry={refetch} />}
      {!data && !error && <Loading h={420} />}
      {data && items.length === 0 && (
        <Empty icon={PackageOpen} title={isEmpty ? 'The catalogue is empty' : 'No items match'}>
          {isEmpty
            ? 'Import a file, or send items with PUT.'
            : 'Remove a filter, or search for another word.'}
        </Empty>
      )}
      {items.length > 0 && (
        <Paper className={classes.frame} component="section" aria-label="Items">
          <ul ref={list} className={classes.rows} style={{ height: rows.getTotalSize() }}>
            {visible.map(({ index, start, key }) => (
              <ItemRow
                key={key}
                item={items[index]}
                index={index}
                count={totalSize}
                place={{ top: start - scrollMargin, height: rowHeight }}
              />
            ))}
          </ul>
        </Paper>
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
      Import a file
    </Button>
  );
}

/** `place` in pixels from the start of the list. */
type ItemRowProps = { item: Item; index: number; count: number; place: { top: number; height: number } };

function ItemRow({ item, index, count, place }: ItemRowProps) {
  const { pathTo } = useConsole();
  const { itemType, itemId = '', publicationDatetime: published, expirationDatetime: expires } = item;
  const price = usePrice(item);
  return (
    <li aria-posinset={index + 1} aria-setsize={count}>
      <Link
        className={classes.row}
        style={{ transform: `translateY(${place.top}px)`, height: place.height }}
        href={pathTo(itemPath(item))}
        data-row
      >
        <ItemPicture item={item} name={itemId} size="small" />
        <div style={{ minWidth: 0, flex: 1 }}>
          <Text size="sm" fw={500} truncate>
            <bdi>{item.title ?? itemId}</bdi>
          </Text>
          <Text size="xs" className="quiet" truncate>
            {itemType} · <bdi>{item.categories[0] ?? 'no category'}</bdi>
          </Text>
        </div>
        {!item.enabled && <Badge color="gray">disabled</Badge>}
        {expires !== undefined && Date.parse(expires) <= Date.now() && <Badge color="gray">expired</Badge>}
        {price !== undefined && (
          <Text size="sm" className="numbers" w={90} ta="end">
            {price}
          </Text>
        )}
        <Text size="xs" className={`quiet ${classes.wide}`} w={120} ta="end">
          {published && formatAgo(new Date(published))}
        </Text>
      </Link>
    </li>
  );
}
