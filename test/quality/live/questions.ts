/** Questions that a log asks: what did a subject turn to next, by the kind of moment at which a list was wanted? */

import { chanceOf } from './chance.ts';
import type { LoggedEvent, LoggedItem, SiteLog } from './log.ts';

export type Kind =
  | 'first ever'
  | 'back after 12 h'
  | 'back after 30 min'
  | 'within a visit'
  | 'item under an hour'
  | 'item under a day'
  | 'again'
  | 'item page'
  | 'basket';

export type Page = 'home' | 'item' | 'basket';

export type Question = {
  page: Page;
  /** Position of the event in the log; everything before it has happened. */
  event: number;
  answer: string;
  kinds: Kind[];
};

const longGap = 12 * 3_600;
const hour = 3_600;
const day = 24 * hour;
const visitGap = 30 * 60;

/** Events that show an interest. */
const interests = new Set([
  ...['detail_pageview', 'add_to_cart', 'purchase', 'checkpoint', 'item_interaction'],
  ...['click_on_recommendation', 'search_click_on_recommendation'],
]);

export function isInterest({ eventType }: LoggedEvent): boolean {
  return interests.has(eventType);
}

const basketEvents = new Set(['add_to_cart', 'purchase']);

/** Events of a subject: the last time by item, the current visit, and its basket. */
export type Visitor = {
  met: Map<string, number>;
  lastAt: number | undefined;
  lastItem: string | undefined;
  basket: Set<string>;
};

export function createVisitor(): Visitor {
  return { met: new Map(), lastAt: undefined, lastItem: undefined, basket: new Set() };
}

export function noteEvent(visitor: Visitor, { at, itemId, eventType }: LoggedEvent): void {
  if (visitor.lastAt === undefined || at - visitor.lastAt > visitGap) visitor.basket.clear();
  if (basketEvents.has(eventType)) visitor.basket.add(itemId);
  visitor.met.set(itemId, at);
  visitor.lastAt = at;
  visitor.lastItem = itemId;
}

export type QuestionOptions = {
  /** The first question is about the event at this share of the log. */
  fromShare: number;
  /** Of each kind, chosen evenly. */
  mostPerKind: number;
  seed: number;
  /** Item types that are wanted again and again. */
  reconsumable: ReadonlySet<string>;
};

export function askLog(
  log: SiteLog,
  { fromShare, mostPerKind, seed, reconsumable }: QuestionOptions,
): Question[] {
  const itemOf = new Map(log.items.map((item) => [item.itemId, item]));
  const start = Math.floor(log.events.length * fromShare);
  const visitors = new Map<string, Visitor>();
  const byKind = new Map<Kind, Question[]>();
  for (const [event, one] of log.events.entries()) {
    if (!isInterest(one)) continue;
    const visitor = visitors.get(one.subject) ?? createVisitor();
    visitors.set(one.subject, visitor);
    const item = itemOf.get(one.itemId);
    const asked = item && event >= start ? kindsOf({ event: one, item, visitor }, reconsumable) : [];
    for (const [page, kinds] of asked)
      for (const kind of kinds)
        byKind.set(kind, [...(byKind.get(kind) ?? []), { event, page, answer: one.itemId, kinds }]);
    noteEvent(visitor, one);
  }
  const chosen = new Map<string, Question>();
  for (const questions of byKind.values())
    for (const question of sample(questions, mostPerKind, seed))
      chosen.set(`${question.event} ${question.page}`, question);
  return [...chosen.values()].sort((a, b) => a.event - b.event);
}

type Moment = { event: LoggedEvent; item: LoggedItem; visitor: Visitor };

/** Kinds by the page that asks. */
function kindsOf(
  { event: { at, eventType }, item, visitor }: Moment,
  reconsumable: ReadonlySet<string>,
): [Page, Kind[]][] {
  const { met, lastAt, lastItem, basket } = visitor;
  const lastMet = met.get(item.itemId);
  /** Of an item that appears with its first event, this event is no question. */
  if (item.publishedAt >= at) return [];
  if (lastMet !== undefined && (at - lastMet <= longGap || !reconsumable.has(item.itemType))) return [];
  const gap = lastAt === undefined ? Number.POSITIVE_INFINITY : at - lastAt;
  const pages: [Page, Kind[]][] = [];
  if (gap <= visitGap && basketEvents.has(eventType) && basket.size > 0) pages.push(['basket', ['basket']]);
  if (lastMet !== undefined) return [...pages, ['home', ['again']]];
  /** No page lies between the lines of an order. */
  if (gap === 0) return pages;
  if (gap <= visitGap && lastItem !== item.itemId) pages.push(['item', ['item page']]);
  const age = item.publishedAt > 0 ? at - item.publishedAt : Number.POSITIVE_INFINITY;
  const kinds: Kind[] = [lastAt === undefined ? 'first ever' : kindOfGap(gap)];
  if (age < hour) kinds.push('item under an hour');
  if (age < day) kinds.push('item under a day');
  return [...pages, ['home', kinds]];
}

function kindOfGap(gap: number): Kind {
  if (gap > longGap) return 'back after 12 h';
  return gap > visitGap ? 'back after 30 min' : 'within a visit';
}

function sample<T>(all: readonly T[], most: number, seed: number): T[] {
  if (all.length <= most) return [...all];
  const chance = chanceOf(seed);
  const stride = all.length / most;
  return Array.from({ length: most }, (_, place) => all[Math.floor((place + chance()) * stride)]);
}
