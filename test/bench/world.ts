/**
 * The generated shop of the benchmarks: items, a month of events, configurations, and the requests of its visitors.
 *
 * Users and items follow Zipf's law, as in real shops: a few are hot (the first item has 2 % of the visits, the first user
 * 0.4 %), most are cold, so neither a cache nor its absence decides the figures. The same seed gives the same world.
 */

import { type Chance, createChance } from '../../src/deployment/demo/random.ts';
import { createSite, type Site } from './site.ts';
import type { ShopSize } from './sizes.ts';

export const environment = 'shop';
export const listSize = 20;

const brandCount = 400;
const categoryCount = 60;
const monthSeconds = 30 * 86_400;

export const deploymentYaml = `
environments:
  - name: ${environment}
    item_types:
      - name: product
        properties:
          - { name: brand, type: string, filterable: true, searchable: { weight: 2 } }
          - { name: price, type: number, filterable: true }
          - { name: in_stock, type: boolean, filterable: true }
    filter_fields: [categories, brand, price, in_stock]
    user_groups: [ { name: recommender, share: 100 } ]
    versions: [ { name: A, share: 50 }, { name: B, share: 50 } ]
`;

/** A typical page: a requirement, a maximum, a diversity limit and a preference. */
const detailConfiguration = {
  configuration_id: 'detail',
  constraints: [
    { query: { key: 'in_stock', match: { value: true } } },
    { query: { key: 'price', lt: { value: 10 } }, limit: { max: 4 } },
    { diversify: { key: 'brand' }, limit: { max: 3 } },
  ],
  preferences: [
    {
      query: {
        key: 'categories',
        match: { variable: { name: 'categories', context: 'item', on_absent_drop: true } },
      },
      weight: 2,
    },
  ],
};

const homeConfiguration = {
  configuration_id: 'home',
  constraints: [
    { query: { key: 'in_stock', match: { value: true } } },
    { diversify: { key: 'categories' }, limit: { max: 5 } },
  ],
};

const categoryConfiguration = {
  configuration_id: 'category',
  constraints: [
    { query: { key: 'categories', match: { variable: { name: 'categories', context: 'request_body' } } } },
    { query: { key: 'in_stock', match: { value: true } } },
    { diversify: { key: 'brand' }, limit: { max: 3 } },
  ],
};

export const configurations = [detailConfiguration, homeConfiguration, categoryConfiguration];

export type World = {
  size: ShopSize;
  item(index: number): Record<string, unknown>;
  /** One event of the past month. */
  pastEvent(): Record<string, unknown>;
  /** An event that happens now. */
  event(): Record<string, unknown>;
  /** About 900 bytes of JSON: one list of 20 for a detail page, with the page's own history of eight items. */
  recommendation(): Record<string, unknown>;
  /** Requests as a site sends them. */
  site: Site;
  /** Draws the index of an item, hot ones more often. */
  itemIndex(): number;
};

/** @param nowSeconds End of the month of events. */
export function createWorld(seed: string, nowSeconds: number, size: ShopSize): World {
  const chance = createChance(seed);
  const drawItem = createZipf(size.items, 5, chance);
  const drawUser = createZipf(size.users, 50, chance);
  /** Half of a user's events are in one part of the catalogue, so that models can learn. */
  const itemNear = (index: number, user: number): number =>
    index % 2 === 0 ? index : (user * 37 + (index % 40)) % size.items;
  const drawItemFor = (user: number): string => itemIdOf(itemNear(drawItem(), user));

  const event = () => {
    const user = drawUser();
    return {
      event_type: chance.pick(eventTypes),
      ...visitorOf(user),
      page_type: 'detail',
      interaction_type: 'like',
      action_item: drawItemFor(user),
      action_item_type: 'product',
      channel: 'desktop-web',
    };
  };
  const recommendation = () => {
    const user = drawUser();
    const viewed = Array.from({ length: 8 }, (_, place) => ({
      id: drawItemFor(user),
      item_type: 'product',
      timestamp: nowSeconds - 60 * (place + 1),
    }));
    return { ...visitorOf(user), ...describeRequest(itemIdOf(drawItem())), histories: { viewed } };
  };
  return {
    size,
    item: (index) => {
      return describeItem(index, categoryOf(index, size), createChance(`${seed} item ${index}`), nowSeconds);
    },
    pastEvent: () => ({ ...event(), timestamp: nowSeconds - Math.floor(chance.fraction() * monthSeconds) }),
    event,
    recommendation,
    site: createSite(seed, nowSeconds, size),
    itemIndex: drawItem,
  };
}

const eventTypes = ['detail_pageview', 'detail_pageview', 'detail_pageview', 'item_interaction', 'purchase'];

export function itemIdOf(index: number): string {
  return `product-${String(index).padStart(5, '0')}`;
}

function categoryOf(index: number, { items }: ShopSize): number {
  return Math.floor((index * categoryCount) / items);
}

/** The category that an item is in. */
export function shelfOf(index: number, size: ShopSize): string {
  return shelfName(categoryOf(index, size));
}

const shelfName = (category: number) => `department-${category % 8}/shelf-${category}`;

export function visitorOf(user: number) {
  return {
    device_id: `device-7f3a91c2-${String(user).padStart(6, '0')}`,
    user_id: `user-${String(user).padStart(6, '0')}`,
  };
}

function describeItem(
  index: number,
  category: number,
  chance: Chance,
  nowSeconds: number,
): Record<string, unknown> {
  const publishedMs = (nowSeconds - chance.whole(1, 400 * 86_400)) * 1000;
  return {
    item_id: itemIdOf(index),
    item_type: 'product',
    title: `Product ${index} of department ${category}`,
    description:
      `${chance.pick(adjectives)} and ${chance.pick(adjectives)}, made for department ${category}. `.repeat(
        3,
      ),
    uri: `https://shop.example/products/${index}`,
    language: 'en',
    categories: [shelfName(category)],
    tags: [chance.pick(adjectives), chance.pick(adjectives)],
    brand: `brand-${chance.whole(0, brandCount - 1)}`,
    price: chance.whole(100, 20_000) / 100,
    in_stock: chance.happens(0.9),
    publication_datetime: new Date(publishedMs).toISOString(),
  };
}

const adjectives = [
  'sturdy',
  'light',
  'folding',
  'quiet',
  'bright',
  'woollen',
  'steel',
  'spare',
  'small',
  'large',
];

/** Returns the request of a list of 20 for a detail page, without the visitor. */
export function describeRequest(contextItem: string): Record<string, unknown> {
  return { ...describePage('detail', 'detail'), context_item: contextItem };
}

/** Returns the request of a list for any page and configuration. */
export function describePage(
  pageType: string,
  configurationId: string,
  variables: Record<string, unknown> = {},
): Record<string, unknown> {
  return {
    page_type: pageType,
    channel: 'desktop-web',
    lists: [{ configuration_id: configurationId, list_name: 'You may also like', list_size: listSize }],
    ...variables,
  };
}

/** Zipf and Mandelbrot: rank r has a probability in proportion to 1 / (r + flatness). */
export function createZipf(count: number, flatness: number, chance: Chance): () => number {
  const cumulative = new Float64Array(count);
  let total = 0;
  for (let rank = 0; rank < count; rank++) cumulative[rank] = total += 1 / (rank + flatness);
  return () => {
    const wanted = chance.fraction() * total;
    let low = 0;
    let high = count - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (cumulative[middle] < wanted) low = middle + 1;
      else high = middle;
    }
    return low;
  };
}
