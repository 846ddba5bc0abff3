/** The catalogue of the built-in demo, a magazine with a shop, as bodies of item PUT and POST. */

import catalogue from './catalogue.json' with { type: 'json' };
import { type Chance, createChance } from './random.ts';

/** A subject of the demo's magazine and shop. */
type Topic = {
  /** The first two levels of every category of the topic. */
  category: string;
  /** Authors of the articles and presenters of the videos. */
  authors: string[];
  entries: Entry[];
};

type Entry = {
  type: 'article' | 'video' | 'item';
  /** The last level of the category. */
  section: string;
  title: string;
  description: string;
  tags: string[];
  /** ISO 639-1; English when absent. */
  language?: string;
  /** Articles and videos only. */
  minutes?: number;
  /** Items only. */
  brand?: string;
  /** In euros; items only. */
  price?: number;
};

const topics = catalogue as Topic[];

export type DemoItem = {
  environment: 'demo';
  /** The title in lower case with dashes; unique across the item types. */
  item_id: string;
  item_type: Entry['type'];
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

/** Share of the products that are out of stock. */
const soldOutShare = 0.08;

/**
 * Ages of items: the span times a random fraction to the power of the lean. A third of the articles is younger than
 * two weeks; the ages of products are uniform.
 */
const publicationAges = {
  article: { spanDays: 120, lean: 2 },
  video: { spanDays: 300, lean: 2 },
  item: { spanDays: 600, lean: 1 },
};

const minutesPerDay = 24 * 60;

/** Returns about 400 items, the same for the same minute of `now`, all published before it. */
export function demoItems({ now }: { now: Date }): DemoItem[] {
  const nowMs = startOfMinute(now);
  return topics.flatMap((topic) => topic.entries.map((entry) => toItem(entry, topic, nowMs)));
}

/** Returns the milliseconds since the epoch of the minute's start, so that ages are the same on each load. */
export function startOfMinute(time: Date): number {
  return Math.floor(time.getTime() / 60_000) * 60_000;
}

function toItem(entry: Entry, topic: Topic, nowMs: number): DemoItem {
  const itemId = foldTitle(entry.title);
  const chance = createChance(itemId);
  return {
    environment: 'demo',
    item_id: itemId,
    item_type: entry.type,
    title: entry.title,
    description: entry.description,
    uri: `https://example.com/${sections[entry.type]}/${itemId}`,
    language: entry.language ?? 'en',
    categories: [`${topic.category}/${entry.section}`],
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

/** Products have a square picture, stories and videos a wide one. */
function imagesOf(entry: Entry, itemId: string): DemoItem['images'] {
  const size = entry.type === 'item' ? { width: 900, height: 900 } : { width: 1280, height: 720 };
  return [{ url: `https://example.com/images/${itemId}.jpg`, alt: entry.title, ...size }];
}

function publicationOf(entry: Entry, chance: Chance, nowMs: number): string {
  const { spanDays, lean } = publicationAges[entry.type];
  const ageMinutes = 30 + Math.floor(spanDays * minutesPerDay * chance.fraction() ** lean);
  return new Date(nowMs - ageMinutes * 60_000).toISOString();
}

type TypeProperties = Pick<
  DemoItem,
  'brand' | 'price' | 'in_stock' | 'reading_minutes' | 'duration_minutes' | 'item_attributes'
>;

function propertiesOf(entry: Entry, topic: Topic, chance: Chance): TypeProperties {
  if (entry.type === 'item') {
    return {
      brand: entry.brand,
      price: entry.price,
      in_stock: !chance.happens(soldOutShare),
      item_attributes: [{ name: 'article_number', value: String(chance.whole(100_000, 999_999)) }],
    };
  }
  const minutes = entry.type === 'article' ? 'reading_minutes' : 'duration_minutes';
  return {
    [minutes]: entry.minutes,
    item_attributes: [{ name: 'author', value: chance.pick(topic.authors) }],
  };
}
