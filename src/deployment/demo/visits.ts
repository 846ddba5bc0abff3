/**
 * One visit: a walk over the catalogue that begins with an item of the visitor's taste. The next item is drawn in
 * proportion to liking × affinity to the item before. Most events are detail views; some are likes, progress or purchases.
 */
import type { DemoItem } from './items.ts';
import type { Chance } from './random.ts';

export type VisitEventType =
  | 'detail_pageview'
  | 'item_interaction'
  | 'checkpoint'
  | 'add_to_cart'
  | 'purchase';

/** An event in the JSON of POST /demo/events. */
export type DemoEvent = {
  /** Built from seed, visitor, visit and position: a second load of the demo stores no duplicates. */
  event_id: string;
  event_type: VisitEventType | `${'search_' | ''}${'impression' | 'click_on_recommendation'}`;
  /** Unix seconds. */
  timestamp: number;
  device_id: string;
  user_id?: string;
  page_type: 'detail' | 'checkout' | 'home' | 'shop' | 'search';
  channel: string;
  action_item: string;
  action_item_type: DemoItem['item_type'];
  interaction_type?: 'like' | 'save' | 'share';
  /** Part of the story or video that was read or watched, 0 to 1. */
  progress?: number;
  amount?: number;
  original_price?: number;
  purchased_price?: number;
  /** Of impressions and clicks: the list, the item's place from 1, and the group of its maker. */
  list_name?: string;
  configuration_id?: string;
  request_id?: string;
  rank?: number;
  user_group?: 'recommender';
};

export type Visit = {
  identity: { device_id: string; user_id?: string };
  channel: string;
  startMs: number;
  /** End of the visit: no event is in the future. */
  endMs: number;
  /** Prefix of the IDs of the visit's events. */
  eventIdPrefix: string;
  items: readonly DemoItem[];
  /** By index in `items`. The walk sets visited items to zero, so that no visitor sees an item twice. */
  liking: Float64Array;
  chance: Chance;
};

const steps = { min: 3, max: 12 };
/** Factors of the probability for the category of the item before, and for each tag shared with it. */
const sameCategoryFactor = 8;
const sharedTagFactor = 1.5;

const chances = { progress: 0.55, interaction: 0.12, cart: 0.22, purchase: 0.45, discount: 0.15 };
const discountedShare = 0.9;
const interactionTypes = ['like', 'like', 'save', 'save', 'share'] as const;

export function walkVisit(visit: Visit): DemoEvent[] {
  const { chance, items, liking } = visit;
  const log = createLog(visit);
  const published = items.map((item) => Date.parse(item.publication_datetime) <= visit.startMs);
  const stepCount = chance.whole(steps.min, steps.max);
  let current: DemoItem | undefined;
  for (let step = 0; step < stepCount && log.isOpen(); step++) {
    const next = chance.weighted(stepWeights(visit, published, current));
    if (next === undefined) break;
    current = items[next];
    liking[next] = 0;
    log.event(current, 'detail_pageview');
    if (current.item_type === 'item') considerProduct(current, log, chance);
    else followContent(current, log, chance);
  }
  return log.events;
}

function stepWeights({ items, liking }: Visit, published: boolean[], current?: DemoItem): Float64Array {
  return liking.map((weight, index) => {
    if (weight === 0 || !published[index]) return 0;
    return current ? weight * affinity(current, items[index]) : weight;
  });
}

function affinity(from: DemoItem, to: DemoItem): number {
  const sharedTagCount = to.tags.filter((tag) => from.tags.includes(tag)).length;
  const categoryFactor = from.categories[0] === to.categories[0] ? sameCategoryFactor : 1;
  return categoryFactor * sharedTagFactor ** sharedTagCount;
}

type EventDetails = Pick<
  DemoEvent,
  'interaction_type' | 'progress' | 'amount' | 'original_price' | 'purchased_price'
>;

type VisitLog = {
  events: DemoEvent[];
  /** False once the visit's clock has reached its end. */
  isOpen(): boolean;
  pass(seconds: number): void;
  event(item: DemoItem, type: VisitEventType, details?: EventDetails): void;
};

/** Creates the visit's clock and list of events. */
function createLog({ identity, channel, startMs, endMs, eventIdPrefix, chance }: Visit): VisitLog {
  const events: DemoEvent[] = [];
  let clockSeconds = Math.floor(startMs / 1000);
  const isOpen = () => clockSeconds * 1000 < endMs;
  return {
    events,
    isOpen,
    pass(seconds) {
      clockSeconds += seconds;
    },
    event(item, type, details) {
      if (!isOpen()) return;
      events.push({
        event_id: `${eventIdPrefix}-${events.length + 1}`,
        event_type: type,
        timestamp: clockSeconds,
        ...identity,
        page_type: type === 'purchase' ? 'checkout' : 'detail',
        channel,
        action_item: item.item_id,
        action_item_type: item.item_type,
        ...details,
      });
      clockSeconds += chance.whole(8, 50);
    },
  };
}

/** Seven of ten checkpoints are past the middle. */
function followContent(item: DemoItem, log: VisitLog, chance: Chance): void {
  const minutes = item.reading_minutes ?? item.duration_minutes ?? 1;
  if (chance.happens(chances.progress)) {
    const progress = Math.round(100 * Math.max(0.05, 1 - chance.fraction() ** 2)) / 100;
    log.pass(Math.round(minutes * 60 * progress));
    log.event(item, 'checkpoint', { progress });
  }
  if (chance.happens(chances.interaction)) {
    log.event(item, 'item_interaction', { interaction_type: chance.pick(interactionTypes) });
  }
}

function considerProduct(item: DemoItem, log: VisitLog, chance: Chance): void {
  log.pass(chance.whole(10, 120));
  if (chance.happens(chances.interaction)) {
    log.event(item, 'item_interaction', { interaction_type: 'save' });
  }
  if (!item.in_stock || !chance.happens(chances.cart)) return;
  log.event(item, 'add_to_cart', { amount: 1, original_price: item.price });
  if (!chance.happens(chances.purchase)) return;
  const price = item.price ?? 0;
  const paid = chance.happens(chances.discount) ? Math.round(price * discountedShare * 100) / 100 : price;
  log.event(item, 'purchase', { amount: 1, original_price: price, purchased_price: paid });
}
