/**
 * Compares a draft of a search configuration with the served version on recorded queries. Stores
 * nothing.
 */

import type { ServingEnvironment } from '../../ranking/environment/serving-environment.ts';
import type { SearchConfiguration } from '../../ranking/rules/active-configuration.ts';
import { nextTurn } from '../../ranking/runtime/slices.ts';
import { compileTest, typedQuery } from '../../ranking/search/serving/query-tests.ts';
import type { FoundItem } from '../../ranking/search/serving/served-search.ts';
import {
  createSteeredSearch,
  type Steerable,
  type SteerableResult,
} from '../../ranking/search/serving/steered-search.ts';
import { type Comparison, compareItems, createTally } from './list-comparison.ts';

const pageSize = 10;

export type SearchSimulationOptions = {
  environment: ServingEnvironment;
  draft: SearchConfiguration;
  configurations: readonly SearchConfiguration[];
  /** Folded, most frequent first. */
  queries: readonly string[];
  /** Maximum queries to simulate, of those that the draft applies to. */
  queryCount: number;
  shareKeys: readonly string[];
  nowMs: number;
};

export type SimulatedQuery = {
  query: string;
  before: FoundItem[];
  after: FoundItem[];
  redirect?: string;
  promotedCount: number;
};

export type SearchSimulation = Comparison & { queries: SimulatedQuery[] };

export async function simulateSearches(options: SearchSimulationOptions): Promise<SearchSimulation> {
  const { environment, draft, configurations, shareKeys, nowMs } = options;
  const others = configurations.filter(({ configurationId }) => configurationId !== draft.configurationId);
  const inForce = configurations.find(({ configurationId }) => configurationId === draft.configurationId);
  const present = searching(configurations, draft);
  const drafted = searching([...others, draft], draft);
  const before = createTally(environment, shareKeys, nowMs);
  const after = createTally(environment, shareKeys, nowMs);
  const queries = takenQueries(options);
  const changed: SimulatedQuery[] = [];
  for (const query of queries) {
    const run = (steer: typeof present) => firstPage(steer, query, options);
    const [old, next] = [run(present), run(drafted)];
    before.add(old, pageSize);
    after.add(next, pageSize);
    if (textOf(old) !== textOf(next))
      changed.push({
        query,
        before: old.items,
        after: next.items,
        redirect: next.redirect,
        promotedCount: next.promoted.length,
      });
    await nextTurn();
  }
  return {
    requestCount: queries.length,
    listCount: after.listCount,
    before: inForce && before.finish(inForce.version),
    after: after.finish(0),
    ...compareItems(before.itemCounts, after.itemCounts, environment),
    changedListCount: changed.length,
    queries: changed,
  };
}

/** Simulates a subject in the draft's audiences only. */
function searching(configurations: readonly SearchConfiguration[], draft: SearchConfiguration) {
  return createSteeredSearch({
    configurations: () => configurations,
    isInAudience: (_, audienceId) => draft.search.when.audienceIds.includes(audienceId),
  });
}

function takenQueries({ draft, queries, queryCount }: SearchSimulationOptions): string[] {
  const tests = draft.search.when.queries.map(compileTest);
  const isTaken = (query: string) => tests.length === 0 || tests.some((holds) => holds(typedQuery(query)));
  return queries.filter(isTaken).slice(0, queryCount);
}

type Page = {
  items: FoundItem[];
  unmet: { constraintIndex: number; wanted: number; found: number }[];
  redirect?: string;
  promoted: object[];
};

/** Searches as an unknown subject in the context that the draft's `when` requires. */
function firstPage(
  steer: ReturnType<typeof createSteeredSearch>,
  query: string,
  { environment, draft, nowMs }: SearchSimulationOptions,
): Page {
  const { catalog, models, settings } = environment;
  const { categories, pageTypes, languages } = draft.search.when;
  const filters = categories.length > 0 ? [{ field: 'categories', values: [categories[0]] }] : [];
  const request: Steerable = {
    environment: settings.name,
    q: query,
    pageType: pageTypes[0],
    language: languages[0],
    filters,
  };
  const asked = { q: query, nowMs, filters, listSize: pageSize, prior: models.popularityOf };
  const { result, facts }: SteerableResult = steer(request, environment, asked);
  const said = facts?.steers ?? [];
  return {
    items: result.lists.flatMap(({ items }) =>
      items.map(({ itemIndex }) => ({
        itemId: catalog.itemIdAt(itemIndex),
        itemType: catalog.itemTypeAt(itemIndex),
      })),
    ),
    unmet: said.flatMap(({ configuration, unmet }) =>
      configuration.configurationId === draft.configurationId ? unmet : [],
    ),
    redirect: said.find(({ configuration: { search } }) => search.redirect)?.configuration.search.redirect,
    promoted: said.flatMap(({ configuration: { search } }) => search.promotedContent),
  };
}

function textOf({ items, redirect, promoted }: Page): string {
  return JSON.stringify([items, redirect, promoted]);
}
