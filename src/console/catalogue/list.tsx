import { Button, Group, Loader, Paper, Skeleton, Text } from '@mantine/core';
import { useVirtualizer } from '@tanstack/react-virtual';
import { FileUp, PackageOpen } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { Link } from 'wouter';
import { Empty } from '../kit/empty.tsx';
import { ErrorNotice } from '../kit/error-notice.tsx';
import { formatCount } from '../kit/format.ts';
import { PageFrame } from '../kit/page.tsx';
import { useAddress } from '../service/address.ts';
import { useConsole } from '../service/console-context.ts';
import { FilterBar } from './filter-bar.tsx';
import { ItemRow } from './item-row.tsx';
import classes from './list.module.css';
import { PropertyFilters } from './property-filters.tsx';
import { type Filters, useItemPages } from './queries.ts';
import { text } from './text.ts';

const rowHeight = 56;
/** Rows made beyond the window, and before whose end the next page is asked for. */
const spareRows = 12;

/** All items, found by filters that stand in the address; rows are made only where one looks. */
export function CatalogueList() {
  const { environment, pathTo } = useConsole();
  const { values, set } = useAddress<keyof Filters>();
  const filters: Filters = { text: '', type: '', status: '', missing: '', order: '', where: '', ...values };
  const { data, error, refetch, fetchNextPage, hasNextPage, isFetchingNextPage } = useItemPages(filters);
  const items = data?.pages.flatMap((page) => page.items) ?? [];
  const totalSize = data?.pages[0]?.totalSize ?? 0;
  const scroller = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: spareRows,
  });
  const visible = rows.getVirtualItems();
  const last = visible.at(-1)?.index ?? 0;
  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage && last >= items.length - spareRows) void fetchNextPage();
  }, [last, items.length, hasNextPage, isFetchingNextPage, fetchNextPage]);

  return (
    <PageFrame
      title={text.title}
      lead={text.lead(formatCount(environment.itemCount))}
      actions={
        <Button
          component={Link}
          href={pathTo('catalogue/import')}
          variant="default"
          leftSection={<FileUp size={15} aria-hidden />}
        >
          {text.import}
        </Button>
      }
    >
      <FilterBar filters={filters} onChange={set} />
      <PropertyFilters where={filters.where} onChange={(where) => set({ where })} />
      <Group justify="space-between" mt="md" mb={6} mih={20}>
        <Text size="xs" className="quiet numbers" role="status">
          {data && `${formatCount(totalSize)} found`}
        </Text>
        {isFetchingNextPage && <Loader size={14} role="status" aria-label="Loading more" />}
      </Group>
      {error && <ErrorNotice error={error} onRetry={refetch} />}
      {!data && !error && <Skeleton h={420} role="status" aria-label="Loading" />}
      {data && items.length === 0 && (
        <Empty icon={PackageOpen} title={environment.itemCount === 0 ? text.empty : text.none}>
          {environment.itemCount === 0 ? text.emptyLead : text.noneLead}
        </Empty>
      )}
      {items.length > 0 && (
        <Paper className={classes.frame}>
          <section
            ref={scroller}
            className={classes.scroller}
            aria-label="Items"
            // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is reached by keyboard
            tabIndex={0}
          >
            <ul className={classes.rows} style={{ height: rows.getTotalSize() }}>
              {visible.map(({ index, start, key }) => (
                <ItemRow key={key} item={items[index]} place={index} count={totalSize} top={start} />
              ))}
            </ul>
          </section>
        </Paper>
      )}
    </PageFrame>
  );
}
