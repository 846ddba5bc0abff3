import { Badge, Text } from '@mantine/core';
import { Link } from 'wouter';
import type { Item } from '../../../gen/es/personalisation/v1/item_pb.js';
import { formatAgo } from '../kit/format.ts';
import { ItemPicture } from '../kit/item-picture.tsx';
import { usePrice } from '../kit/price.ts';
import { useConsole } from '../service/console-context.ts';
import classes from './list.module.css';

type ItemRowProps = { item: Item; place: number; count: number; top: number };

/** @param top Pixels from the beginning of the list. */
export function ItemRow({ item, place, count, top }: ItemRowProps) {
  const { pathTo } = useConsole();
  const { itemType = '', itemId = '' } = item;
  const price = usePrice(item);
  const published = item.publicationDatetime;
  return (
    <li aria-posinset={place + 1} aria-setsize={count}>
      <Link
        className={classes.row}
        style={{ transform: `translateY(${top}px)` }}
        href={pathTo(`catalogue/${encodeURIComponent(itemType)}/${encodeURIComponent(itemId)}`)}
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
        {!item.enabled && (
          <Badge variant="light" color="gray" tt="none">
            disabled
          </Badge>
        )}
        {isExpired(item) && (
          <Badge variant="light" color="gray" tt="none">
            expired
          </Badge>
        )}
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

function isExpired({ expirationDatetime }: Item): boolean {
  return expirationDatetime !== undefined && Date.parse(expirationDatetime) <= Date.now();
}
