/** Makes the answer of a search from the result of the index. */
import type { ServingEnvironment } from '../../environment/serving-environment.ts';
import { newAnswerId } from '../../lists/answer-id.ts';
import type { Identity } from '../../lists/person/identify.ts';
import type { SearchResult } from '../search.ts';
import { fingerprintOf, foldQuery, requestIdOf } from './query-fingerprint.ts';
import type { FoundItem, SearchAnswer, SearchRequest } from './served-search.ts';
import type { SteeredFacts } from './steered-results.ts';

export type AnswerContext = {
  environment: ServingEnvironment;
  identity: Identity;
  nowMs: number;
  /** Returns the key of the next list of the answer. */
  nextListKey(requestId: string): string;
  /** Variants of a draft, by team. */
  teamNames?: readonly [string, string];
};

export function answerOf(
  request: SearchRequest,
  { lists, isFound, correctedQuery, perfectMatch, refined, interpreted }: SearchResult,
  { environment, identity, nowMs, nextListKey, teamNames }: AnswerContext,
): Omit<SearchAnswer, 'promotedContent'> {
  const name = (itemIndex: number) => nameOf(itemIndex, environment, nowMs);
  const requestId = searchId(foldQuery(correctedQuery ?? request.q));
  return {
    requestId,
    userGroup: identity.userGroup,
    version: identity.version,
    lists: withinItems(lists, request.mostItems).map(({ name: listName, values, items }) => ({
      listKey: nextListKey(requestId),
      listName: listName || 'results',
      groupedBy: values.map(({ value }) => String(value)),
      items: items.map(({ itemIndex, team }) =>
        team === undefined ? name(itemIndex) : { ...name(itemIndex), team: teamNames?.[team] },
      ),
    })),
    isFound: isFound || lists.length > 0 || perfectMatch !== undefined,
    autoSuggest: correctedQuery,
    perfectMatch: perfectMatch === undefined ? undefined : name(perfectMatch),
    facets: refined?.facets,
    totalSize: refined?.totalSize,
    interpreted,
  };
}

/** Returns the lists in order, until they hold `most` items together. */
function withinItems(lists: SearchResult['lists'], most: number): SearchResult['lists'] {
  const bounded: SearchResult['lists'] = [];
  let room = most;
  for (const list of lists) {
    if (room === 0) break;
    bounded.push(list.items.length <= room ? list : { ...list, items: list.items.slice(0, room) });
    room -= Math.min(room, list.items.length);
  }
  return bounded;
}

/** Returns the first redirect and all promoted content of the configurations. */
export function shownBeside(
  facts: SteeredFacts | undefined,
): Pick<SearchAnswer, 'redirect' | 'promotedContent'> {
  const said = facts?.steers.map(({ configuration: { search } }) => search) ?? [];
  return {
    redirect: said.find(({ redirect }) => redirect !== undefined)?.redirect,
    promotedContent: said.flatMap(({ promotedContent }) => promotedContent),
  };
}

/** Returns an identifier that holds the query, so that clicks on results count for it. */
function searchId(folded: string): string {
  return folded === '' ? newAnswerId() : requestIdOf(fingerprintOf(folded));
}

export function nameOf(itemIndex: number, { catalog }: ServingEnvironment, nowMs: number): FoundItem {
  return {
    itemId: catalog.itemIdAt(itemIndex),
    itemType: catalog.itemTypeAt(itemIndex),
    groupSize: catalog.groupSizeAt(itemIndex, nowMs),
  };
}
