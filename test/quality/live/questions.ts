/** Questions that a log asks: what did a subject turn to next, by the kind of moment at which a list was wanted? */

import { chanceOf } from './chance.ts';
import type { LoggedEvent, LoggedItem, SiteLog } from './log.ts';

export type Kind =
  | 'first ever'
  | 'back after 12 h'
  | 'back after 30 min'
  | 'within a visit'
  | 'young item'
  | 'again';

export type Question = {
  /** Position of the event in the log; everything before it has happened. */
  event: number;
  answer: string;
  kinds: Kind[];
};

const visitGap = 30 * 60;
const longGap = 12 * 3_600;
const youngSeconds = 3_600;

/** Events that show an interest. */
const interests = new Set([
  ...['detail_pageview', 'add_to_cart', 'purchase', 'checkpoint', 'item_interaction'],
  ...['click_on_recommendation', 'search_click_on_recommendation'],
]);

export function isInterest({ eventType }: LoggedEvent): boolean {
  return interests.has(eventType);
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
  const met = new Map<string, Map<string, number>>();
  const lastAt = new Map<string, number>();
  const byKind = new Map<Kind, Question[]>();
  for (const [event, one] of log.events.entries()) {
    if (!isInterest(one)) continue;
    const { subject, itemId, at } = one;
    const own = met.get(subject) ?? new Map<string, number>();
    met.set(subject, own);
    const item = itemOf.get(itemId);
    const kinds =
      item && event >= start ? kindsOf({ at, item, own, lastAt: lastAt.get(subject) }, reconsumable) : [];
    for (const kind of kinds)
      byKind.set(kind, [...(byKind.get(kind) ?? []), { event, answer: itemId, kinds }]);
    own.set(itemId, at);
    lastAt.set(subject, at);
  }
  const chosen = new Map<number, Question>();
  for (const questions of byKind.values())
    for (const question of sample(questions, mostPerKind, seed)) chosen.set(question.event, question);
  return [...chosen.values()].sort((a, b) => a.event - b.event);
}

type Moment = { at: number; item: LoggedItem; own: ReadonlyMap<string, number>; lastAt: number | undefined };

function kindsOf({ at, item, own, lastAt }: Moment, reconsumable: ReadonlySet<string>): Kind[] {
  if (own.has(item.itemId))
    return at - own.get(item.itemId)! > longGap && reconsumable.has(item.itemType) ? ['again'] : [];
  if (lastAt === undefined) return ['first ever'];
  const gap = at - lastAt;
  const kinds: Kind[] = [
    gap > longGap ? 'back after 12 h' : gap > visitGap ? 'back after 30 min' : 'within a visit',
  ];
  if (item.publishedAt > 0 && at - item.publishedAt < youngSeconds) kinds.push('young item');
  return kinds;
}

function sample<T>(all: readonly T[], most: number, seed: number): T[] {
  if (all.length <= most) return [...all];
  const chance = chanceOf(seed);
  const stride = all.length / most;
  return Array.from({ length: most }, (_, place) => all[Math.floor((place + chance()) * stride)]);
}
