/**
 * Decides which lists are explored, and what is drawn in them.
 *
 * The seed is the request and the list's position in it, from which the list's key is derived: a
 * list can be made again, and its pages continue the same list.
 */

import type { Catalog } from '../catalog/catalog.ts';
import type { TrendSnapshot } from '../models/trends/trends.ts';
import type { ExplorationSettings } from '../rules/settings.ts';
import type { DrawnSlots, SlotExploration } from '../rules/slot-draw.ts';
import type { ListIngredients } from './list-ingredients.ts';
import type { ExploredList } from './recommendation-request.ts';
import { createChance } from './reordered-stream.ts';

type Seeded = Pick<ListIngredients, 'request' | 'identity' | 'requestId' | 'withOdds'>;

/** Tells whether a list is explored: a share of the personal lists that are stored. */
export function isExplored(
  settings: ExplorationSettings | undefined,
  { request, identity, requestId, withOdds }: Seeded,
  listIndex: number,
): settings is ExplorationSettings {
  if (settings === undefined || identity.lists !== 'recommended' || request.doNotStore) return false;
  return withOdds === true || createChance(seedOf(requestId, listIndex))() < settings.share;
}

const seedOf = (requestId: string, listIndex: number) => `${requestId}\u0000${listIndex}`;

/** Returns what to draw in a list; undefined if it is not explored. Equal lists draw equally. */
export function explorationOf(
  settings: ExplorationSettings | undefined,
  ingredients: ListIngredients,
  { listIndex, scoreOf }: { listIndex: number; scoreOf: SlotExploration['scoreOf'] },
): SlotExploration | undefined {
  if (!isExplored(settings, ingredients, listIndex)) return undefined;
  const { environment, requestId, nowMs, withOdds } = ingredients;
  const chance = createChance(seedOf(requestId, listIndex));
  /** The first number decided whether the list is explored. */
  chance();
  const newest =
    settings.itemAgeMs === undefined
      ? undefined
      : unknownItems(environment.trends.view.current(), environment.catalog, {
          sinceMs: nowMs - settings.itemAgeMs,
          dailyImpressions: settings.dailyImpressions,
        });
  return { ...settings, scoreOf, newest, chance, withOdds };
}

/** Impressions of the last day per impression in a count with a half-life of 12 hours. */
const dayShare = 0.5 / Math.LN2;

/** Half-width of the 95 % interval of contacts per impression at which an item is known. */
const knownHalfWidth = 0.01;

/** Returns the newest items that need impressions: below the pace of the day, and of unknown rate. */
function unknownItems(
  { windows: { newest }, categories, newestCounts }: TrendSnapshot,
  catalog: Catalog,
  { sinceMs, dailyImpressions }: { sinceMs: number; dailyImpressions: number },
): number[] {
  const start = newest.offsets[categories.length];
  const items = newest.items.subarray(start, newest.offsets[categories.length + 1]);
  return Array.from(items).filter((itemIndex, place) => {
    const [today, shown, contacts] = newestCounts.subarray(3 * place, 3 * place + 3);
    const isKnown = shown > 0 && wilsonHalfWidth(Math.min(contacts, shown), shown) <= knownHalfWidth;
    return catalog.publishedAt(itemIndex) >= sinceMs && !isKnown && today / dayShare < dailyImpressions;
  });
}

/** Returns half the width of the 95 % score interval of a rate (Wilson, 1927). */
export function wilsonHalfWidth(successes: number, trials: number): number {
  const z = 1.96;
  const rate = successes / trials;
  const variance = (rate * (1 - rate)) / trials + z ** 2 / (4 * trials ** 2);
  return (z * Math.sqrt(variance)) / (1 + z ** 2 / trials);
}

export function toExplored({ slots, drawCount }: DrawnSlots, catalog: Catalog): ExploredList {
  const nameOf = (itemIndex: number) => ({
    itemId: catalog.itemIdAt(itemIndex),
    itemType: catalog.itemTypeAt(itemIndex),
  });
  return {
    drawCount,
    slots: slots.map(({ rank, itemIndex, propensity, composedItemIndex, odds }) => ({
      rank,
      ...nameOf(itemIndex),
      propensity,
      composed: nameOf(composedItemIndex),
      odds: odds && Array.from(odds, ([one, probability]) => ({ ...nameOf(one), probability })),
    })),
  };
}
