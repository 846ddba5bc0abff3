import { useState } from 'react';
import type { Item } from '../../../gen/es/personalisation/v1/item_pb.js';
import { settings } from '../service/settings.ts';
import classes from './item-picture.module.css';

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
