/**
 * Fills the gaps of a stored list, where items have become unavailable. Other items keep their ranks.
 *
 * The lists of the request are made again with the remaining items at their ranks. New items
 * therefore comply with the rules and are in no other list of the request. The first page with a gap
 * pays for this: its result is stored with the list.
 */

import { DomainError } from '../../errors.ts';
import type { ServingEnvironment } from '../../ranking/environment/serving-environment.ts';
import type { ListMaker } from '../../ranking/lists/list-maker.ts';
import type { List, ListRequest, RecommendationRequest } from '../../ranking/lists/recommendation-request.ts';
import { isShowable, itemsOf, type StoredItem } from '../lists/kept-items.ts';
import { listRowOf } from '../lists/list-key.ts';
import type { ListStore, StoredList, StoredRequest } from '../lists/list-store.ts';
import { findStoredLists, gatherAgain, type IngredientSources } from './gather-ingredients.ts';

export type ListPage = {
  environment: string;
  list: StoredList;
  firstRank: number;
  lastRank: number;
  revive(stored: StoredRequest): RecommendationRequest;
};

/** Returns the list with its gaps filled as far as possible; the same list if the page has none. */
export type FillList = (page: ListPage) => Promise<StoredList>;

export type FillListOptions = IngredientSources<ServingEnvironment> & {
  listStore: ListStore;
  makeLists: ListMaker;
  clock: () => number;
};

type IsGone = (item: StoredItem) => boolean;

export function createFillList(options: FillListOptions): FillList {
  const { environments, listStore, clock } = options;
  return async ({ environment, list, firstRank, lastRank, revive }) => {
    const serving = environments.get(environment)!;
    const isGone: IsGone = (item) => !isShowable(item, serving, clock());
    const isOnPage = ({ rank }: StoredItem) => rank >= firstRank && rank <= lastRank;
    if (!itemsOf(list).some((item) => isOnPage(item) && isGone(item))) return list;
    const found = await findStoredLists(listStore, serving.settings, list.requestId);
    const asked = found?.[0]?.asked;
    const stored = found?.filter((one) => one !== undefined) ?? [];
    if (!asked || stored.length < found!.length) return list;
    const lists = await makeAround(stored, revive(asked), isGone, options);
    if (!lists) return list;
    const filled = await Promise.all(
      stored.map((before, position) => {
        const after = fillGaps(before, lists[position], isGone);
        const row = listRowOf(list.requestId, position);
        return after === before ? before : listStore.fill(environment, row, { before, after });
      }),
    );
    return filled.find((one) => one?.listName === list.listName) ?? list;
  };
}

/** Makes the lists around their remaining items. Undefined if the configurations prevent it. */
async function makeAround(
  stored: readonly StoredList[],
  request: RecommendationRequest,
  isGone: IsGone,
  options: FillListOptions,
): Promise<List[] | undefined> {
  if (stored.length < request.lists.length) return undefined;
  const lists = request.lists.map((list, i) => around(list, stored[i], isGone));
  const moment = { requestId: stored[0].requestId, nowMs: options.clock() };
  const ingredients = await gatherAgain({ ...request, lists }, moment, options);
  try {
    return ingredients && options.makeLists(ingredients);
  } catch (error) {
    if (error instanceof DomainError) return undefined;
    throw error;
  }
}

/** Returns a request for a list of the same length, with the remaining items at their ranks. */
function around(list: ListRequest, stored: StoredList, isGone: IsGone): ListRequest {
  const items = itemsOf(stored);
  const remaining = items.filter((item) => !isGone(item));
  return {
    ...list,
    listSize: Math.max(0, ...items.map(({ rank }) => rank)),
    injected: remaining.map(({ itemId, itemType, rank }) => ({
      itemId,
      itemType: itemType || undefined,
      rank,
    })),
  };
}

/** Fills only ranks of the list. Returns the same list if nothing fits. */
function fillGaps(list: StoredList, made: List, isGone: IsGone): StoredList {
  const byRank = new Map(made.items.map((item) => [item.rank, item]));
  const gaps = [...itemsOf(list).entries()].filter(([, item]) => isGone(item) && byRank.has(item.rank));
  if (gaps.length === 0) return list;
  const filled = new Map(list.filled?.map((entry) => [entry[0], entry]));
  for (const [position, { rank }] of gaps) {
    const { itemId, itemType } = byRank.get(rank)!;
    filled.set(position, [position, itemId, itemType]);
  }
  return { ...list, filled: [...filled.values()] };
}
