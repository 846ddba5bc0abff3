/**
 * Fills a kept list up where an item went away meanwhile: at its rank stands another one, and all others keep theirs.
 *
 * The lists of the request are made again with what is left of them at its ranks, so that what comes is the best that the rules
 * allow beside it, and is in no other list of the request. Only a page with a gap takes that, and only the first: what came is
 * kept with the list.
 */

import { DomainError } from '../../errors.ts';
import { type HistoryReader, noHistory } from '../../events/histories/history-reader.ts';
import type { ServingEnvironment } from '../../ranking/environment/serving-environment.ts';
import { readsImpressions } from '../../ranking/lists/list-ingredients.ts';
import type { createListMaker } from '../../ranking/lists/list-maker.ts';
import { identifyLater } from '../../ranking/lists/person/identify.ts';
import type { List, ListRequest, RecommendationRequest } from '../../ranking/lists/recommendation-request.ts';
import type { ActiveConfigurations } from '../../ranking/rules/active-configuration.ts';
import { isShowable, itemsOf } from '../lists/kept-items.ts';
import { listRowOf } from '../lists/list-key.ts';
import type { ListStore, StoredList, StoredRequest } from '../lists/list-store.ts';

export type PageOfList = {
  environment: string;
  list: StoredList;
  /** The ranks of the page. */
  firstRank: number;
  lastRank: number;
  /** Reads what was kept of a request. */
  revive(asked: StoredRequest): RecommendationRequest;
};

/** The list with its gaps filled, as far as anything may stand there; itself where the page has none. */
export type FillList = (page: PageOfList) => Promise<StoredList>;

export type FillListOptions = {
  environments: ReadonlyMap<string, ServingEnvironment>;
  configurations: ActiveConfigurations;
  listStore: ListStore;
  readHistory: HistoryReader;
  makeLists: ReturnType<typeof createListMaker>;
  clock: () => number;
};

export function createFillList(options: FillListOptions): FillList {
  const { environments, listStore, clock } = options;

  /** The lists of a request, by place; undefined when not all of them live, or its request was too long to be kept. */
  const findAll = async (environment: string, { requestId }: StoredList, lifetimeMs: number) => {
    const find = async (place: number) => {
      const list = await listStore.findRow(environment, listRowOf(requestId, place), lifetimeMs);
      return list?.kind === 'recommendations' ? list : undefined;
    };
    const first = await find(0);
    if (first?.asked === undefined) return undefined;
    const others = Array.from({ length: (first.listCount ?? 1) - 1 }, (_, i) => find(i + 1));
    const lists = [first, ...(await Promise.all(others))];
    return lists.every((list) => list !== undefined) ? { lists, asked: first.asked } : undefined;
  };

  return async ({ environment, list, firstRank, lastRank, revive }) => {
    const serving = environments.get(environment)!;
    const lacks = (one: StoredList, [from, to] = [1, Number.POSITIVE_INFINITY]) =>
      itemsOf(one).some(
        (item) => item.rank >= from && item.rank <= to && !isShowable(item, serving, clock()),
      );
    if (!lacks(list, [firstRank, lastRank])) return list;
    const kept = await findAll(environment, list, serving.settings.listLifetimeMinutes * 60_000);
    if (kept === undefined) return list;
    const made = await makeBeside(kept.lists, revive(kept.asked), serving, options);
    if (made === undefined) return list;
    const filled = kept.lists.map((one, i) => (lacks(one) ? fillUp(one, made[i], serving, clock()) : one));
    const stored = await Promise.all(
      filled.map((after, place) => {
        const before = kept.lists[place];
        if (after === before) return before;
        return listStore.fill(environment, listRowOf(list.requestId, place), { before, after });
      }),
    );
    return stored.find((one) => one?.listName === list.listName) ?? list;
  };
}

/** The lists of a request around what is left of them; undefined when its configurations do not allow that any more. */
async function makeBeside(
  kept: readonly StoredList[],
  request: RecommendationRequest,
  environment: ServingEnvironment,
  { configurations, readHistory, makeLists, clock }: FillListOptions,
): Promise<List[] | undefined> {
  const active = request.lists.flatMap(({ configurationId }) => configurations.find(configurationId) ?? []);
  if (active.length < request.lists.length || kept.length < request.lists.length) return undefined;
  const identity = identifyLater(request, environment.settings);
  const counts = readsImpressions(environment, active);
  const history = identity.lists === 'recommended' ? await readHistory(request, counts) : noHistory;
  const nowMs = clock();
  const lists = request.lists.map((list, i) => around(list, kept[i], environment, nowMs));
  const { requestId } = kept[0];
  try {
    return makeLists({
      request: { ...request, lists },
      ...{ environment, identity, active, history, requestId, nowMs },
    });
  } catch (error) {
    if (error instanceof DomainError) return undefined;
    throw error;
  }
}

/** As long as the list was, with what is left of it in its places. */
function around(
  list: ListRequest,
  kept: StoredList,
  environment: ServingEnvironment,
  nowMs: number,
): ListRequest {
  const items = itemsOf(kept);
  const left = items.filter((item) => isShowable(item, environment, nowMs));
  return {
    ...list,
    listSize: items.reduce((last, { rank }) => Math.max(last, rank), 0),
    injected: left.map(({ itemId, itemType, rank }) => ({ itemId, itemType: itemType || undefined, rank })),
  };
}

/** Only ranks that the list had are filled. */
function fillUp(list: StoredList, made: List, environment: ServingEnvironment, nowMs: number): StoredList {
  const byRank = new Map(made.items.map((item) => [item.rank, item]));
  const came = new Map((list.filled ?? []).map((one) => [one[0], one]));
  for (const [place, item] of itemsOf(list).entries()) {
    const other = byRank.get(item.rank);
    if (other === undefined || isShowable(item, environment, nowMs)) continue;
    came.set(place, [place, other.itemId, other.itemType]);
  }
  return came.size === 0 ? list : { ...list, filled: [...came.values()] };
}
