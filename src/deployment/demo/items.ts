/** The catalogue of the built-in demo: a magazine with a shop, as bodies of item PUT and POST. */

import { type Chance, createChance } from './random.ts';
import { astronomy } from './topics/astronomy.ts';
import { baking } from './topics/baking.ts';
import { coffee } from './topics/coffee.ts';
import { cycling } from './topics/cycling.ts';
import { hiking } from './topics/hiking.ts';
import { instruments } from './topics/instruments.ts';
import { listening } from './topics/listening.ts';
import { type Entry, readTopic, type Topic } from './topics/material.ts';
import { wildlife } from './topics/wildlife.ts';

export type DemoItem = {
  environment: 'demo';
  /** The folded title, so that a list of ids can be read; unique across the item types. */
  item_id: string;
  item_type: Entry['itemType'];
  title: string;
  description: string;
  uri: string;
  language: string;
  /** One path of three levels: `kitchen/baking/sourdough`. */
  categories: string[];
  tags: string[];
  images: { url: string; alt: string; width: number; height: number }[];
  item_attributes: { name: string; value: string }[];
  publication_datetime: string;
  /** Declared properties of `item`. */
  brand?: string;
  /** In euros. */
  price?: number;
  in_stock?: boolean;
  /** Declared property of `article`. */
  reading_minutes?: number;
  /** Declared property of `video`. */
  duration_minutes?: number;
};

const topics: readonly Topic[] = [
  hiking,
  cycling,
  baking,
  coffee,
  listening,
  instruments,
  astronomy,
  wildlife,
];

/** Share of the products that cannot be ordered today. */
const soldOutShare = 0.08;

/**
 * How old the oldest is, and how strongly publication leans towards now: the age is the span times a fraction
 * to the power of the lean. A third of the articles is younger than two weeks; products come evenly.
 */
const publicationAges = {
  article: { spanDays: 120, lean: 2 },
  video: { spanDays: 300, lean: 2 },
  item: { spanDays: 600, lean: 1 },
};

const minutesPerDay = 24 * 60;

/** About 400 items; the same for the same minute of `now`, with publication dates that end shortly before it. */
export function demoItems({ now }: { now: Date }): DemoItem[] {
  return topics.flatMap((topic) => readTopic(topic).map((entry) => toItem(entry, topic, startOfMinute(now))));
}

/** Milliseconds since the epoch. Whole minutes keep publication times tidy and every age the same on each load. */
export function startOfMinute(time: Date): number {
  return Math.floor(time.getTime() / 60_000) * 60_000;
}

function toItem(entry: Entry, topic: Topic, nowMs: number): DemoItem {
  const itemId = foldTitle(entry.title);
  const chance = createChance(itemId);
  return {
    environment: 'demo',
    item_id: itemId,
    item_type: entry.itemType,
    title: entry.title,
    description: entry.description,
    uri: `https://example.com/${sections[entry.itemType]}/${itemId}`,
    language: entry.language,
    categories: [entry.category],
    tags: entry.tags,
    images: imagesOf(entry, itemId),
    publication_datetime: publicationOf(entry, chance, nowMs),
    ...propertiesOf(entry, topic, chance),
  };
}

const sections = { article: 'stories', video: 'watch', item: 'shop' };

function foldTitle(title: string): string {
  return title
    .normalize('NFD')
    .replaceAll(/[\u0300-\u036f'’]/g, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');
}

/** Products stand on a square, stories and videos on a wide picture. */
function imagesOf(entry: Entry, itemId: string): DemoItem['images'] {
  const size = entry.itemType === 'item' ? { width: 900, height: 900 } : { width: 1280, height: 720 };
  return [{ url: `https://example.com/images/${itemId}.jpg`, alt: entry.title, ...size }];
}

function publicationOf(entry: Entry, chance: Chance, nowMs: number): string {
  const { spanDays, lean } = publicationAges[entry.itemType];
  const ageMinutes = 30 + Math.floor(spanDays * minutesPerDay * chance.fraction() ** lean);
  return new Date(nowMs - ageMinutes * 60_000).toISOString();
}

type TypeProperties = Pick<
  DemoItem,
  'brand' | 'price' | 'in_stock' | 'reading_minutes' | 'duration_minutes' | 'item_attributes'
>;

function propertiesOf(entry: Entry, topic: Topic, chance: Chance): TypeProperties {
  if (entry.itemType === 'item') {
    return {
      brand: entry.brand,
      price: entry.price,
      in_stock: !chance.happens(soldOutShare),
      item_attributes: [{ name: 'article_number', value: String(chance.whole(100_000, 999_999)) }],
    };
  }
  const minutes = entry.itemType === 'article' ? 'reading_minutes' : 'duration_minutes';
  return {
    [minutes]: entry.minutes,
    item_attributes: [{ name: 'author', value: chance.pick(topic.authors) }],
  };
}
