/**
 * Defines the meaning of an event: its measures, price, dimensions and part of a history. Only this
 * file knows what a purchase, a click or an impression is. It imports nothing, so ranking and
 * statements can use it, too.
 */

/** Suffix of every click type: on a recommendation, a search result or a mailing. */
export const clickSuffix = 'click_on_recommendation';

export const isClick = (eventType: string): boolean => eventType.endsWith(clickSuffix);

export const isSearchClick = (eventType: string): boolean => eventType === 'search_click_on_recommendation';

export const isPurchase = (eventType: string): boolean => eventType === 'purchase';

/** Interaction types of a `user_interaction` that ends the link of its device, without - and _. */
const signOuts = new Set(['signout', 'signedout', 'logout', 'loggedout']);

export function isSignOut({ eventType, details }: { eventType: string; details?: unknown }): boolean {
  if (eventType !== 'user_interaction') return false;
  const type = (details as Record<string, unknown> | null | undefined)?.interaction_type;
  return typeof type === 'string' && signOuts.has(type.toLowerCase().replaceAll(/[-_ ]/g, ''));
}

/** Interaction types that opt a subject out of being contacted, in lower case. */
export const optOuts: ReadonlySet<string> = new Set([
  ...['unsubscribe', 'unsubscribed', 'opt_out', 'opt-out', 'optout'],
]);

/** Stored type of a purchase with a negative amount or price. It is no interest in its item. */
export const refundType = 'refund';

/** Impressions of a list with a request id are counted as one set. */
export const isOfImpressionSet = (eventType: string): boolean => eventType === 'impression';

const impressionTypes = new Set([
  'impression',
  'search_impression',
  'batch_impression',
  'session_impression',
]);

/** Histories keep impressions apart; every other event is an action of the subject. */
export const isImpression = (eventType: string): boolean => impressionTypes.has(eventType);

const measureOfType = {
  impression: 'impressions',
  click_on_recommendation: 'clicks',
  detail_pageview: 'pageviews',
  group_pageview: 'pageviews',
  page_visit: 'pageviews',
  item_interaction: 'item_interactions',
  add_to_cart: 'add_to_carts',
  search_impression: 'search_impressions',
  search_click_on_recommendation: 'search_clicks',
  batch_open: 'batch_opens',
  batch_impression: 'batch_impressions',
  batch_click_on_recommendation: 'batch_clicks',
} as const;

type EventMeasure =
  | (typeof measureOfType)[keyof typeof measureOfType]
  | 'negative_interactions'
  | 'purchased_items'
  | 'revenue';

/** Fields of a stored event that determine its meaning; `details` is the event as sent. */
export type MeaningfulEvent = {
  eventType: string;
  userGroup?: string;
  version?: string;
  pageType?: string;
  listName?: string;
  channel?: string;
  details: unknown;
};

/**
 * Yields the measures that an event adds to, besides one to `events`.
 * @param isNegative Whether it is a negative interaction.
 */
export function* additionsOf(event: MeaningfulEvent, isNegative = false): Generator<[EventMeasure, number]> {
  const { eventType } = event;
  if (Object.hasOwn(measureOfType, eventType))
    yield [measureOfType[eventType as keyof typeof measureOfType], 1];
  if (isNegative) yield ['negative_interactions', 1];
  if (!isPurchase(eventType) && eventType !== refundType) return;
  const { items, revenue } = purchaseOf(event);
  yield ['purchased_items', items];
  yield ['revenue', revenue];
}

/** Maximum pieces and money of a purchase, in millionths: no single event may spoil a sum. */
const mostMillionths = 1e18;

/** Returns millionths, negative for a refund. Defaults: one piece; the original price if the price paid is missing. */
export function purchaseOf({ details }: Pick<MeaningfulEvent, 'details'>): {
  items: number;
  revenue: number;
} {
  const amount = numberIn(details, 'amount') ?? 1;
  const price = numberIn(details, 'purchased_price') ?? numberIn(details, 'original_price') ?? 0;
  const sign = amount < 0 || price < 0 ? -1 : 1;
  return {
    items: sign * toMillionths(Math.abs(amount)),
    revenue: sign * toMillionths(Math.abs(amount * price)),
  };
}

function toMillionths(value: number): number {
  return Math.min(Math.round(value * 1e6), mostMillionths) || 0;
}

function numberIn(details: unknown, name: string): number | undefined {
  const value = (details as Record<string, unknown> | null)?.[name];
  return typeof value === 'number' ? value : undefined;
}

const longestConfigurationId = 256;

/** Returns values in the order of `dimensionNames`; the caller sends back the configuration. */
export function dimensionsOf(event: MeaningfulEvent): (string | undefined)[] {
  const configuration = (event.details as Record<string, unknown> | null)?.configuration_id;
  return [
    event.userGroup,
    event.version,
    event.pageType,
    event.listName,
    event.channel,
    typeof configuration === 'string' ? configuration.slice(0, longestConfigurationId) : undefined,
  ];
}

/** Event types whose `interaction_type` and `rating` tell an opinion. */
export const interactionTypes: ReadonlySet<string> = new Set([
  'item_interaction',
  'group_interaction',
  'user_interaction',
]);

export type RatingScale = { lowest: number; highest: number };

export type Interpretation = {
  /** Weights by event type, or by type and interaction: `item_interaction:share`. */
  eventWeights: Readonly<Record<string, number>>;
  ratingScale: RatingScale;
  /** Properties of events that metrics distinguish, in order [none]. */
  metricSegments?: readonly string[];
};

export const usualInterpretation: Interpretation = {
  eventWeights: {},
  ratingScale: { lowest: 1, highest: 5 },
};

export type InterpretationOf = (environment: string) => Interpretation;

/** An opinion on an item: 1 positive, -1 negative, 0 takes an earlier one back. */
export type Opinion = 1 | 0 | -1;

type Interaction = {
  factor: number;
  opinion: Opinion;
};

const classes = {
  positive: { factor: 1, opinion: 1 },
  /** Outweighs a view, a click and a like together. */
  negative: { factor: -2, opinion: -1 },
  /** Takes a like back and cancels its weight. */
  unliked: { factor: -1, opinion: 0 },
  /** Takes a dislike back, which is no interest yet. */
  neutral: { factor: 0, opinion: 0 },
  /** Removes the item's earlier events from the history. */
  forgotten: { factor: 0, opinion: 0 },
} satisfies Record<string, Interaction>;

type InteractionClass = keyof typeof classes;

const likes =
  'bookmark favorite favourite follow heart like love positive recommend save share star subscribe superlike thumbsup thumbup upvote wishlist';
const dislikes =
  'block dismiss dislike downvote hate hidden hide lesslikethis mute negative notforme notinterested notrelevant report showless spam thumbdown thumbsdown uninterested';

const classOf: ReadonlyMap<string, InteractionClass> = new Map([
  ...spellings(likes, 'positive', 'unliked'),
  ...spellings(dislikes, 'negative', 'neutral'),
  ...spellings('clear neutral none reset undo', 'neutral', 'neutral'),
  ...spellings('forget forgetthis', 'forgotten', 'neutral'),
]);

function* spellings(
  names: string,
  given: InteractionClass,
  takenBack: InteractionClass,
): Generator<[string, InteractionClass]> {
  for (const name of names.split(' '))
    for (const ending of ['', 'd', 'ed', 's']) {
      yield [name + ending, given];
      yield [`addto${name}${ending}`, given];
      for (const beginning of ['cancel', 'remove', 'removefrom', 'un', 'undo'])
        yield [beginning + name + ending, takenBack];
    }
}

const longestInteraction = 40;

/** Returns the same text for all spellings of an interaction: `notinterested`. */
export function plainInteraction(interactionType: string): string {
  return interactionType.toLowerCase().replaceAll(/[\s_.-]+/g, '');
}

/**
 * Returns what an event says besides its type. For a checkpoint: its progress in percent. For an
 * interaction: its rating in percent of the scale, its plain name if it has a weight of its own, or
 * else its class. Undefined if it says no more.
 */
export function qualifierOf(
  { eventType, details }: Pick<MeaningfulEvent, 'eventType' | 'details'>,
  { eventWeights, ratingScale }: Interpretation,
): string | undefined {
  if (eventType === 'checkpoint') {
    const progress = numberIn(details, 'progress');
    /** Rounds down, so that an item is not finished early. */
    return progress === undefined ? undefined : String(Math.floor(Math.min(1, progress) * 100 + 1e-9));
  }
  if (!interactionTypes.has(eventType)) return undefined;
  const { interaction_type: type, rating } = (details ?? {}) as Record<string, unknown>;
  if (typeof rating === 'number') return String(percentOf(rating, ratingScale));
  if (typeof type !== 'string' || type.length > longestInteraction) return undefined;
  const plain = plainInteraction(type);
  return Object.hasOwn(eventWeights, `${eventType}:${plain}`) ? plain : classOf.get(plain);
}

/** Whether an event asks to forget its item. */
export const isForgetting = (qualifier: string | undefined): boolean => qualifier === 'forgotten';

/** Steps of 5 % keep the number of qualifiers small. Rounds away from the middle, which is neutral. */
function percentOf(rating: number, { lowest, highest }: RatingScale): number {
  const distance = Math.min(1, Math.max(-1, (2 * (rating - lowest)) / (highest - lowest) - 1));
  return 50 + 5 * Math.sign(distance) * Math.ceil(Math.abs(distance) * 10 - 1e-9);
}

/**
 * Lists the qualifiers that events of a type can have.
 * @param leastPercent Lowest progress of a checkpoint.
 */
export function qualifiersOf(
  eventType: string,
  { eventWeights }: Interpretation,
  leastPercent: number,
): string[] {
  const percents = Array.from({ length: 101 }, (_, percent) => percent);
  if (eventType === 'checkpoint') return percents.slice(leastPercent).map(String);
  if (!interactionTypes.has(eventType)) return [];
  const prefix = `${eventType}:`;
  const declared = Object.keys(eventWeights).filter((key) => key.startsWith(prefix));
  return [
    ...Object.keys(classes),
    ...declared.map((key) => key.slice(prefix.length)),
    ...percents.filter((percent) => percent % 5 === 0).map(String),
  ];
}

/** Returns the multiple of an event type's weight for an interaction; 1 for an unknown one. */
export function interactionFactor(qualifier: string): number {
  return interactionOf(qualifier)?.factor ?? 1;
}

/** Returns the opinion that an interaction tells; undefined for none. */
export function opinionOf(
  eventType: string,
  qualifier: string | undefined,
  eventWeights: Interpretation['eventWeights'],
): Opinion | undefined {
  if (qualifier === undefined || !interactionTypes.has(eventType)) return undefined;
  const declared = eventWeights[`${eventType}:${qualifier}`];
  if (declared) return declared > 0 ? 1 : -1;
  return interactionOf(qualifier)?.opinion;
}

/** Ratings weigh by their distance from the middle of the scale. */
function interactionOf(qualifier: string): Interaction | undefined {
  if (!/^\d+$/.test(qualifier)) return classes[classOf.get(qualifier)!];
  const distance = (Number(qualifier) - 50) / 50;
  const { factor } = distance < 0 ? classes.negative : classes.positive;
  return { factor: Math.abs(distance) * factor, opinion: Math.sign(distance) as Opinion };
}
