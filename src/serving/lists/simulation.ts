/**
 * Tries a draft on real requests beside what is in force: the same pipeline on both sides, nothing kept, nothing published.
 *
 * Lists of the draft's configuration are compared; when no request has one, every list is. Requests take turns with live ones.
 */

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ActiveConfiguration } from '../../configurations/configuration-replica.ts';
import { DomainError } from '../../errors.ts';
import type { History } from '../../repository/events/histories.ts';
import type { ServingEnvironment } from '../environment/serving-environment.ts';
import { identify } from '../person/identify.ts';
import type { RecommendationRequest } from '../recommendation-request.ts';
import type { ListIngredients } from './list-ingredients.ts';
import { createListMaker, type MadeList } from './list-maker.ts';

const mostReported = 100;
const mostSharesPerKey = 50;

export type SimulationOptions = {
  environment: ServingEnvironment;
  requests: readonly RecommendationRequest[];
  draft: ActiveConfiguration & { configurationId: string };
  findConfiguration(configurationId: string): ActiveConfiguration | undefined;
  readHistory(request: RecommendationRequest): Promise<History>;
  shareKeys: readonly string[];
  nowMs: number;
};

export type SimulatedSide = {
  version: number;
  fillRate: number;
  failedListCount: number;
  unmetQuotas: { constraintIndex: number; listCount: number; missingCount: number }[];
  shares: ValueShare[];
  ages: ValueShare[];
};

export type ValueShare = { key: string; value: string; share: number };

export type ItemChange = {
  itemId: string;
  itemType: string;
  title: string;
  beforeCount: number;
  afterCount: number;
};

export type Simulation = {
  requestCount: number;
  listCount: number;
  before: SimulatedSide | undefined;
  after: SimulatedSide;
  itemsIn: ItemChange[];
  itemsOut: ItemChange[];
  changedListCount: number;
};

export async function simulate(options: SimulationOptions): Promise<Simulation> {
  const { environment, requests, draft, findConfiguration, shareKeys, nowMs } = options;
  const inForce = findConfiguration(draft.configurationId);
  const isDrafted = selectLists(requests, draft.configurationId);
  const makeLists = createListMaker();
  const before = createTally(environment, shareKeys, nowMs);
  const after = createTally(environment, shareKeys, nowMs);
  let requestCount = 0;
  let changedListCount = 0;

  for (const request of requests) {
    const places = request.lists.flatMap(({ configurationId }, i) => (isDrafted(configurationId) ? [i] : []));
    const active = request.lists.map(({ configurationId }) => findConfiguration(configurationId));
    if (places.length === 0) continue;
    requestCount += 1;
    const history = await options.readHistory(request);
    const make = (side: (ActiveConfiguration | undefined)[]) =>
      tryLists(makeLists, { request, environment, history, requestId: String(requestCount), nowMs }, side);
    const old = make(active);
    const drafted = make(active.map((present, i) => (places.includes(i) ? draft : present)));
    for (const place of places) {
      const { listSize } = request.lists[place];
      before.add(old?.[place], listSize);
      after.add(drafted?.[place], listSize);
      if (textOf(old?.[place]) !== textOf(drafted?.[place])) changedListCount += 1;
    }
    await nextTurn();
  }
  return {
    requestCount,
    listCount: after.listCount,
    before: inForce && before.finish(inForce.version),
    after: after.finish(0),
    ...compareItems(before.itemCounts, after.itemCounts, environment),
    changedListCount,
  };
}

/** Lists of the configuration, or all when no request has one. */
function selectLists(
  requests: readonly RecommendationRequest[],
  configurationId: string,
): (id: string) => boolean {
  const isUsed = requests.some(({ lists }) => lists.some((list) => list.configurationId === configurationId));
  return isUsed ? (id) => id === configurationId : () => true;
}

type Setting = Pick<ListIngredients, 'request' | 'environment' | 'history' | 'requestId' | 'nowMs'>;

/** Undefined when a configuration is missing, or a variable without default. Robots and control groups are tried as anybody. */
function tryLists(
  makeLists: (ingredients: ListIngredients) => MadeList[],
  setting: Setting,
  active: (ActiveConfiguration | undefined)[],
): MadeList[] | undefined {
  if (!active.every((present) => present !== undefined)) return undefined;
  const pinned = { ...setting.request, isRobot: false, userGroup: undefined };
  const { version } = identify(pinned, setting.environment.settings);
  const identity = { userGroup: 'recommender', lists: 'recommended' as const, version };
  try {
    return makeLists({ ...setting, identity, active });
  } catch (error) {
    if (error instanceof DomainError && error.reason === 'VARIABLE_MISSING') return undefined;
    throw error;
  }
}

function textOf(list: MadeList | undefined): string {
  return list?.items.map(({ itemType, itemId }) => `${itemType} ${itemId}`).join('\n') ?? '';
}

/** Counts the lists of one side. */
function createTally({ catalog }: ServingEnvironment, shareKeys: readonly string[], nowMs: number) {
  const itemCounts = new Map<number, number>();
  const unmet = new Map<number, { listCount: number; missingCount: number }>();
  let listCount = 0;
  let failedListCount = 0;
  let askedCount = 0;
  let shownCount = 0;
  return {
    itemCounts,
    get listCount() {
      return listCount;
    },
    add(list: MadeList | undefined, listSize: number) {
      listCount += 1;
      askedCount += listSize;
      if (!list) {
        failedListCount += 1;
        return;
      }
      shownCount += list.items.length;
      for (const { itemType, itemId } of list.items) {
        const itemIndex = catalog.indexOf(itemType, itemId);
        if (itemIndex !== undefined) itemCounts.set(itemIndex, (itemCounts.get(itemIndex) ?? 0) + 1);
      }
      for (const { constraintIndex, wanted, found } of list.unmet) {
        const known = unmet.get(constraintIndex) ?? { listCount: 0, missingCount: 0 };
        unmet.set(constraintIndex, {
          listCount: known.listCount + 1,
          missingCount: known.missingCount + wanted - found,
        });
      }
    },
    finish: (version: number): SimulatedSide => ({
      version,
      fillRate: askedCount === 0 ? 0 : shownCount / askedCount,
      failedListCount,
      unmetQuotas: Array.from(unmet, ([constraintIndex, counts]) => ({ constraintIndex, ...counts })),
      shares: shareKeys.flatMap((key) =>
        sharesOf(key, itemCounts, (i) => catalog.column(key)?.valuesAt(i).map(String) ?? []),
      ),
      ages: sharesOf('age', itemCounts, (i) => [ageOf(catalog.publishedAt(i), nowMs)]),
    }),
  };
}

function sharesOf(
  key: string,
  itemCounts: ReadonlyMap<number, number>,
  valuesOf: (itemIndex: number) => string[],
): ValueShare[] {
  const counts = new Map<string, number>();
  let total = 0;
  for (const [itemIndex, count] of itemCounts) {
    total += count;
    for (const value of valuesOf(itemIndex)) counts.set(value, (counts.get(value) ?? 0) + count);
  }
  const shares = Array.from(counts, ([value, count]) => ({ key, value, share: count / total }));
  return shares.sort((a, b) => b.share - a.share || (a.value < b.value ? -1 : 1)).slice(0, mostSharesPerKey);
}

const dayMs = 86_400_000;
const ageBounds: [name: string, belowMs: number][] = [
  ['under a day', dayMs],
  ['under a week', 7 * dayMs],
  ['under a month', 30 * dayMs],
  ['under a year', 365 * dayMs],
  ['older', Number.POSITIVE_INFINITY],
];

function ageOf(publishedMs: number, nowMs: number): string {
  return ageBounds.find(([, belowMs]) => nowMs - publishedMs < belowMs)?.[0] ?? 'unknown';
}

function compareItems(
  before: ReadonlyMap<number, number>,
  after: ReadonlyMap<number, number>,
  { catalog }: ServingEnvironment,
): Pick<Simulation, 'itemsIn' | 'itemsOut'> {
  const changes = Array.from(new Set([...before.keys(), ...after.keys()]), (itemIndex) => ({
    itemId: catalog.itemIdAt(itemIndex),
    itemType: catalog.itemTypeAt(itemIndex),
    title: catalog.titleAt(itemIndex) ?? '',
    beforeCount: before.get(itemIndex) ?? 0,
    afterCount: after.get(itemIndex) ?? 0,
  }));
  const gain = ({ beforeCount, afterCount }: ItemChange) => afterCount - beforeCount;
  return {
    itemsIn: changes
      .filter((change) => gain(change) > 0)
      .sort((a, b) => gain(b) - gain(a))
      .slice(0, mostReported),
    itemsOut: changes
      .filter((change) => gain(change) < 0)
      .sort((a, b) => gain(a) - gain(b))
      .slice(0, mostReported),
  };
}
