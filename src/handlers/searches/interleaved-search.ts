/**
 * Searches with both variants of an interleaved experiment: the results of both in the order of a
 * draft, under the pins and rules of the control.
 */

import { unitHash } from '../../ranking/lists/person/assignment.ts';
import type { Treatment } from '../../ranking/lists/person/treatment.ts';
import type { ActiveConfiguration } from '../../ranking/rules/active-configuration.ts';
import { searchKeyOf } from '../../ranking/search/serving/frozen-pages.ts';
import type { SearchRequest } from '../../ranking/search/serving/served-search.ts';
import { windowSize } from '../../ranking/search/serving/steered-results.ts';
import type { SteerSearch } from '../../ranking/search/serving/steered-search.ts';

/** The second variant of an interleaved experiment, and the names of both. */
export type SearchRival = {
  experimentId: string;
  names: readonly [string, string];
  drafts: ReadonlyMap<string, ActiveConfiguration>;
};

/** @param treatment That of the first variant. */
export function rivalOf(
  { groupBy }: Pick<SearchRequest, 'groupBy'>,
  { interleaving, configurations }: Treatment,
): SearchRival | undefined {
  if (!interleaving || groupBy.length > 0) return undefined;
  const { experimentId, configurationIds, variants } = interleaving;
  const [first, second] = variants;
  const others = [...configurations].filter(([configurationId]) => !configurationIds.has(configurationId));
  const drafts = others.length === 0 ? second.configurations : new Map([...others, ...second.configurations]);
  return { experimentId, names: [first.name, second.name], drafts };
}

/**
 * Returns a search with a draft; an order of the caller is that of the control. All pages of a
 * search have the same coins, so that further ones continue the draft.
 */
export function steerBoth(steer: SteerSearch, rival: SearchRival, served: SearchRequest): SteerSearch {
  const key = [rival.experimentId, searchKeyOf(served), served.deviceId].join('\u0000');
  return (request, environment, asked) => {
    const { refinement } = asked;
    if (refinement?.orderBy) return steer(request, environment, asked);
    const fromStart = refinement && { ...refinement, facets: [], offset: 0 };
    const whole = { ...asked, listSize: windowSize, refinement: fromStart };
    const { result } = steer({ ...request, drafts: rival.drafts }, environment, whole);
    const hits = result.lists.flatMap(({ items }) => items);
    const coin = (round: number) => unitHash(`${key}\u0000${round}`) < 0.5;
    return steer(request, environment, asked, { hits, coin });
  };
}
