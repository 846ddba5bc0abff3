import { Group, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { Item } from '../../../gen/es/personalisation/v1/item_pb.js';
import { useConsole } from '../service/console-context.ts';
import { settings } from '../service/settings.ts';
import { type ItemName, itemPath } from './item-names.ts';
import classes from './item-picture.module.css';
import { Hint, RowLink } from './page.tsx';

type ItemPictureProps = { item?: Item; name: string; size?: 'small' | 'large' };

/** Picture of an item, if the deployment allows its host; else a tile in the category's colour with initials of the title. */
export function ItemPicture({ item, name, size = 'large' }: ItemPictureProps) {
  const [hasFailed, setFailed] = useState(false);
  const image = settings.showsImages && !hasFailed ? item?.images[0] : undefined;
  if (image) {
    return (
      <img
        className={classes.picture}
        data-size={size}
        src={image.url}
        alt={image.alt ?? ''}
        loading="lazy"
        onError={() => setFailed(true)}
      />
    );
  }
  const hue = hueOf(item?.categories[0]?.split('/').slice(0, 2).join('/') ?? name);
  const color = `light-dark(hsl(${hue} 45% 28%), hsl(${hue} 50% 82%))`;
  return (
    <div className={classes.picture} data-size={size} aria-hidden style={{ ['--hue' as string]: hue, color }}>
      {initialsOf(item?.title ?? name)}
    </div>
  );
}

function hueOf(text: string): number {
  let hash = 7;
  for (const letter of text) hash = (hash * 31 + letter.codePointAt(0)!) % 3_600;
  return hash % 360;
}

/** First characters of the first two words, in any script. */
function initialsOf(title: string): string {
  const words = title.split(/\s+/).filter((word) => /[\p{L}\p{N}\p{Emoji}]/u.test(word));
  return words
    .slice(0, 2)
    .map((word) => word.replace(/^[^\p{L}\p{N}\p{Emoji}]+/u, ''))
    .map((word) => [...new Intl.Segmenter().segment(word)][0]?.segment.toUpperCase() ?? '')
    .join('');
}

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
  const { can } = useConsole();
  return (
    <Group gap="sm" wrap="nowrap" flex={1} miw={0}>
      <ItemPicture item={item} name={name.itemId} size="small" />
      <div style={{ minWidth: 0, overflowWrap: 'anywhere' }}>
        {isLink && can('items') ? (
          <RowLink to={itemPath(name)}>{item?.title ?? name.itemId}</RowLink>
        ) : (
          <Text size="sm">
            <bdi>{item?.title ?? name.itemId}</bdi>
          </Text>
        )}
        {children && <Hint>{children}</Hint>}
      </div>
    </Group>
  );
}
