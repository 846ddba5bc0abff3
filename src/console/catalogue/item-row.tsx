import { Badge, Text } from '@mantine/core';
import { Link } from 'wouter';
import type { Item } from '../../../gen/es/personalisation/v1/item_pb.js';
import { formatAgo } from '../kit/format.ts';
import { itemPath } from '../kit/item-names.ts';
import { ItemPicture } from '../kit/item-picture.tsx';
import { usePrice } from '../kit/items.ts';
import { useConsole } from '../service/console-context.ts';
import classes from './list.module.css';

/** @param top Pixels from the start of the list. */
type ItemRowProps = { item: Item; index: number; count: number; top: number };

export function ItemRow({ item, index, count, top }: ItemRowProps) {
  const { pathTo } = useConsole();
  const { itemType, itemId = '', publicationDatetime: published, expirationDatetime: expires } = item;
  const price = usePrice(item);
  return (
    <li aria-posinset={index + 1} aria-setsize={count}>
      <Link
        className={classes.row}
        style={{ transform: `translateY(${top}px)` }}
        href={pathTo(itemPath(item))}
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
