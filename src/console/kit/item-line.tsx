import { Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { Item } from '../../../gen/es/personalisation/v1/item_pb.js';
import { useConsole } from '../service/console-context.ts';
import { type ItemName, itemPath } from './item-names.ts';
import { ItemPicture } from './item-picture.tsx';
import { Hint } from './page.tsx';

type ItemLineProps = {
  item: Item | undefined;
  name: ItemName;
  /** Links to the item's page, for clients that may open it. */
  isLink?: boolean;
  /** Secondary text below the title. */
  children?: ReactNode;
};

/** Picture and title of an item in a line. */
export function ItemLine({ item, name, isLink, children }: ItemLineProps) {
  const { can, pathTo } = useConsole();
  const title = <bdi>{item?.title ?? name.itemId}</bdi>;
  return (
    <Group gap="sm" wrap="nowrap" flex={1} miw={0}>
      <ItemPicture item={item} name={name.itemId} size="small" />
      <div style={{ minWidth: 0, overflowWrap: 'anywhere' }}>
        {isLink && can('items') ? (
          <Link className="row-link" href={pathTo(itemPath(name))}>
            {title}
          </Link>
        ) : (
          <Text size="sm">{title}</Text>
        )}
        {children && <Hint>{children}</Hint>}
      </div>
    </Group>
  );
}
