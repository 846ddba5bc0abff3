/** Items as rows or as tiles; only visible ones are rendered. */

import { ActionIcon, Badge, Paper, Text } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { useQueries } from '@tanstack/react-query';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { type CSSProperties, type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { Link } from 'wouter';
import type { Item } from '../../../gen/es/personalisation/v1/item_pb.js';
import { readCondition } from '../grammar/document.ts';
import type { Property } from '../grammar/properties.ts';
import { formatAgo } from '../kit/format.ts';
import { OpenArrow } from '../kit/icons.ts';
import { itemKey, itemPath } from '../kit/item-names.ts';
import { ItemPicture } from '../kit/item-picture.tsx';
import { usePrice } from '../kit/items.ts';
import { useDense } from '../kit/preferences.ts';
import type { Pages } from '../kit/table.tsx';
import cards from '../lists/list-section.module.css';
import { useConsole } from '../service/console-context.ts';
import { t } from '../texts/texts.ts';
import { Cells, ColumnNames, useColumns } from './columns.tsx';
import classes from './list.module.css';
import { type Filters, readAll, readConditions, writeConditions } from './queries.ts';

const heights = { comfortable: 56, dense: 44, grid: 240 };
/** Least width of a tile in pixels. */
const tileWidth = 170;
/** Entries rendered beyond the window; also how early the next page is loaded. */
const spare = 12;

/** `count` of all entries, loaded or not; -1 if unknown. */
type EntriesProps = { entries: Entry[]; count: number; pages: Pages; isGrid: boolean };

export function Entries({ entries, count, pages, isGrid }: EntriesProps) {
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = pages;
  const list = useRef<HTMLUListElement>(null);
  const { ref: frame, width } = useElementSize();
  const [scrollMargin, setScrollMargin] = useState(0);
  const columns = useColumns();
  const density = useDense()[0] ? 'dense' : 'comfortable';
  const height = heights[isGrid ? 'grid' : density];
  const lanes = isGrid ? Math.max(1, Math.floor(width / tileWidth)) : 1;
  const rows = useWindowVirtualizer({
    ...{ count: entries.length, overscan: spare, scrollMargin, lanes },
    estimateSize: () => height,
  });
  /** Filters and notices above the list move it. */
  useLayoutEffect(() => {
    const { current } = list;
    if (current) setScrollMargin(Math.round(current.getBoundingClientRect().top + scrollY));
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: entries of another size
  useEffect(() => rows.measure(), [height, lanes]);
  const visible = rows.getVirtualItems();
  const last = visible.at(-1)?.index ?? 0;
  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage && last >= entries.length - spare) void fetchNextPage();
  }, [last, entries.length, hasNextPage, isFetchingNextPage, fetchNextPage]);
  return (
    <Paper ref={frame} className={classes.frame} component="section" aria-label={t('Items')}>
      {!isGrid && columns.length > 0 && <ColumnNames columns={columns} />}
      <ul ref={list} className={classes.rows} style={{ height: rows.getTotalSize() }}>
        {visible.map(({ index, start, key, lane }) => (
          <li
            key={key}
            className={isGrid ? classes.tile : classes.row}
            aria-posinset={index + 1}
            aria-setsize={count}
            style={{
              ...{ transform: `translateY(${start - scrollMargin}px)`, height },
              ...(isGrid && { insetInlineStart: `${(100 * lane) / lanes}%`, width: `${100 / lanes}%` }),
            }}
          >
            {isGrid ? <Tile {...entries[index]} /> : <Row {...entries[index]} columns={columns} />}
          </li>
        ))}
      </ul>
    </Paper>
  );
}

function Row({ item, variants, isVariant, columns }: Entry & { columns: readonly Property[] }) {
  const { publicationDatetime: published, itemType, itemId = '' } = item;
  const price = usePrice(item);
  return (
    <>
      {variants && <Toggle item={item} variants={variants} />}
      <ItemLink
        item={item}
        className={classes.link}
        style={{ paddingInlineStart: isVariant ? 48 : undefined }}
      >
        <ItemPicture item={item} name={itemId} size="small" />
        <div style={{ minWidth: 0, flex: 1 }}>
          <Text size="sm" fw={500} truncate>
            <bdi>{item.title ?? itemId}</bdi>
          </Text>
          <Text size="xs" className="quiet" truncate>
            {itemType} · <bdi>{item.categories[0] ?? t('no category')}</bdi>
          </Text>
        </div>
        <States item={item} variants={variants} />
        <Cells item={item} columns={columns} />
        {(price !== undefined || columns.length > 0) && (
          <Text size="sm" className="numbers" w={90} ta="end">
            {price}
          </Text>
        )}
        <Text size="xs" className={`quiet ${classes.wide}`} w={120} ta="end">
          {published && formatAgo(new Date(published))}
        </Text>
      </ItemLink>
    </>
  );
}

function Tile({ item, variants }: Entry) {
  const { itemId = '' } = item;
  return (
    <>
      <ItemLink item={item} className={`${cards.card} ${classes.card}`}>
        <ItemPicture item={item} name={itemId} />
        <Text size="sm" fw={500} lh={1.35} className="clamp-2">
          <bdi>{item.title ?? itemId}</bdi>
        </Text>
        <Text size="xs" className="numbers">
          {usePrice(item)}
        </Text>
        <div>
          <States item={item} variants={variants} />
        </div>
      </ItemLink>
      {variants && <Toggle item={item} variants={variants} />}
    </>
  );
}

type ItemLinkProps = { item: Item; className: string; style?: CSSProperties; children: ReactNode };

const ItemLink = ({ item, ...rest }: ItemLinkProps) => (
  <Link href={useConsole().pathTo(itemPath(item))} data-row {...rest} />
);

function States({ item, variants }: Entry) {
  const { enabled, expirationDatetime: expires } = item;
  return (
    <>
      {variants && <Badge variant="outline">{t('{count} variants', { count: variants.count })}</Badge>}
      {!enabled && <Badge color="gray">{t('disabled')}</Badge>}
      {expires !== undefined && Date.parse(expires) <= Date.now() && (
        <Badge color="gray">{t('expired')}</Badge>
      )}
    </>
  );
}

function Toggle({ item, variants: { isOpen, toggle } }: Required<Pick<Entry, 'item' | 'variants'>>) {
  return (
    <ActionIcon
      className={classes.toggle}
      aria-expanded={isOpen}
      aria-label={t('Variants of {title}', { title: item.title ?? item.itemId })}
      onClick={toggle}
    >
      <OpenArrow isOpen={isOpen} size={15} />
    </ActionIcon>
  );
}

export type Entry = {
  item: Item;
  /** Found items of its group, itself included, if there are several. */
  variants?: { count: number; isOpen: boolean; toggle(): void };
  /** Whether it belongs to the opened group above. */
  isVariant?: boolean;
};

const ofGroup = (filters: Filters, match: string): Filters => ({
  ...filters,
  where: writeConditions([...readConditions(filters.where), readCondition({ key: 'group_id', match })]),
});

/** The loaded items as entries; an opened group has all items of the filters, loaded or not. */
export function useEntries(items: readonly Item[], filters: Filters, isTogether: boolean): Entry[] {
  const context = useConsole();
  const [open, setOpen] = useState<string[]>([]);
  const members = useQueries({
    queries: open.map((id) => ({
      queryKey: ['variants', context.environment.name, filters, id],
      queryFn: () => readAll(context, ofGroup(filters, id)),
    })),
  });
  if (!isTogether) return items.map((item) => ({ item }));
  const groups = Map.groupBy(items, (item) => item.groupId || itemKey(item));
  return [...groups].flatMap(([id, loaded]): Entry[] => {
    const [item] = loaded;
    const place = open.indexOf(id);
    const found = members[place]?.data ?? loaded;
    if (found.length === 1 && place < 0) return [{ item }];
    const toggle = () => setOpen(place < 0 ? [...open, id] : open.toSpliced(place, 1));
    const others = found.filter((other) => itemKey(other) !== itemKey(item));
    const head = { item, variants: { count: found.length, isOpen: place >= 0, toggle } };
    return [head, ...(place < 0 ? [] : others.map((other) => ({ item: other, isVariant: true })))];
  });
}
