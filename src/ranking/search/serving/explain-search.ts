/** Explains why items are found at their places, and why others are not. */
import type { ServingEnvironment } from '../../environment/serving-environment.ts';
import type { ItemName } from '../../lists/recommendation-request.ts';
import type { Hit, QueryExplanation, SearchRequest, SearchResult } from '../search.ts';
import { failedFilter } from './failed-filter.ts';
import type {
  FoundItemExplanation,
  SearchAbsence,
  SearchAbsenceReason,
  SearchExplanation,
  TierName,
} from './served-search.ts';
import type { SteeredFacts } from './steered-search.ts';

const tierNames: Record<Hit['tier'], TierName> = {
  5: 'exact_title',
  4: 'title_phrase',
  3: 'title',
  2: 'all_words',
  1: 'some_words',
  0: 'fused',
};

export type ExplainSearchOptions = {
  environment: ServingEnvironment;
  /** The request to the index. */
  asked: SearchRequest;
  result: SearchResult;
  /** Present when configurations steered the search. */
  facts?: SteeredFacts;
  /** Items of the first page of each list. */
  limit: number;
  whyNot: readonly ItemName[];
};

export function explainSearch(options: ExplainSearchOptions): SearchExplanation {
  const { environment, asked, result, facts, limit, whyNot } = options;
  const understood = environment.searchIndex.explainQuery(asked);
  const { query, words, dropped, corrections } = understood;
  return {
    queryUsed: query,
    words,
    droppedWords: dropped,
    corrections,
    lists: result.lists.map(({ name, items }) => ({
      listName: name,
      items: items.slice(0, limit).map((hit, place) => ({
        ...explainHit(hit, place, understood, environment),
        preferenceWeight: facts?.weightOf(hit.itemIndex) ?? 0,
        pinnedBy: facts?.pinnedBy(hit.itemIndex),
      })),
    })),
    whyNot: whyNot.map((name) => explainAbsence(name, options)),
    configurations: (facts?.steers ?? []).map(({ configuration, reasons, unmet }) => ({
      configurationId: configuration.configurationId,
      version: configuration.version,
      reasons,
      unmet,
    })),
  };
}

function explainHit(
  { itemIndex, tier, score, text, feedback, prior, taste, clicks, similarity }: Hit,
  place: number,
  { contributionsOf }: QueryExplanation,
  { catalog }: ServingEnvironment,
): Omit<FoundItemExplanation, 'preferenceWeight' | 'pinnedBy'> {
  return {
    rank: place + 1,
    itemId: catalog.itemIdAt(itemIndex),
    itemType: catalog.itemTypeAt(itemIndex),
    tier: tierNames[tier],
    score,
    textScore: text,
    likenessScore: feedback,
    priorScore: prior,
    tasteScore: taste,
    clickScore: clicks,
    similarity,
    // Hits that are not ranked by text have no word scores.
    words: (text > 0 ? contributionsOf(itemIndex) : []).map(({ word, alternative, score: part, fields }) => ({
      word,
      kind: alternative.kind,
      text: alternative.text,
      score: part,
      fields,
    })),
  };
}

const sentences: Record<
  Exclude<
    SearchAbsenceReason,
    'shown' | 'filtered' | 'other_list' | 'in_group' | 'outranked' | 'hidden' | 'constrained'
  >,
  string
> = {
  unknown: 'The catalogue does not hold it.',
  disabled: 'It is disabled.',
  unpublished: 'It is published later.',
  expired: 'It has expired.',
  not_offered: 'Its item type is not declared any more.',
  no_word: 'It has no word of the query, nor an alternative of one.',
};

function explainAbsence(name: ItemName, options: ExplainSearchOptions): SearchAbsence {
  const { catalog } = options.environment;
  const { nowMs } = options.asked;
  const itemIndex = catalog.indexOfId(name.itemId, name.itemType);
  const say = (reason: keyof typeof sentences): SearchAbsence => absence(name, reason, sentences[reason]);
  if (itemIndex === undefined) return say('unknown');
  if (!catalog.isEnabled(itemIndex)) return say('disabled');
  if (catalog.publishedAt(itemIndex) > nowMs) return say('unpublished');
  if (catalog.expiresAt(itemIndex) <= nowMs) return say('expired');
  if (!catalog.servable(itemIndex, nowMs)) return say('not_offered');
  const filter = failedFilter(itemIndex, options.environment.catalog, options.asked);
  if (filter !== undefined) return absence(name, 'filtered', `It does not have the value of ${filter}.`);
  return placeOf(name, itemIndex, options) ?? barrier(name, itemIndex, options) ?? say('no_word');
}

function absence(
  { itemId }: ItemName,
  reason: SearchAbsenceReason,
  detail: string,
  hit?: Hit,
): SearchAbsence {
  return { itemId, reason, detail, tier: hit && tierNames[hit.tier], score: hit?.score ?? 0 };
}

function barrier(
  name: ItemName,
  itemIndex: number,
  { facts }: ExplainSearchOptions,
): SearchAbsence | undefined {
  const found = facts?.barrierTo(itemIndex);
  if (!found) return undefined;
  const { reason, configurationId } = found;
  const does = reason === 'hidden' ? 'hides it' : 'has a constraint that it does not satisfy';
  return absence(name, reason, `The configuration ${configurationId} ${does}.`);
}

/** Searches for the item alone; returns undefined when it does not match. */
function placeOf(
  name: ItemName,
  itemIndex: number,
  options: ExplainSearchOptions,
): SearchAbsence | undefined {
  const { environment, asked, result, facts, limit } = options;
  for (const { name: listName, items } of result.lists) {
    const place = items.findIndex((hit) => hit.itemIndex === itemIndex);
    if (place < 0) continue;
    const detail = `It has rank ${place + 1}${listName === '' ? '' : ` in the list ${listName}`}.`;
    return absence(name, place < limit ? 'shown' : 'outranked', detail, items[place]);
  }
  if (facts?.barrierTo(itemIndex)) return undefined;
  const { refinement } = asked;
  const alone = environment.searchIndex.search({
    ...asked,
    refinement: refinement && { ...refinement, facets: [], offset: 0 },
    listSize: 1,
    admits: (one) => one === itemIndex,
  });
  const [hit] = alone.lists[0]?.items ?? [];
  if (!hit) return undefined;
  const names = new Set(result.lists.map(({ name: listName }) => listName));
  const [own] = alone.lists;
  if (!refinement && !alone.lists.some(({ name: listName }) => names.has(listName)))
    return absence(
      name,
      'other_list',
      `Its list ${own.name} is not among the first ${asked.listCount}.`,
      hit,
    );
  const { groups } = environment.catalog;
  const group = groups.of(itemIndex);
  const isGroupShown =
    group >= 0 && result.lists.some(({ items }) => items.some((one) => groups.of(one.itemIndex) === group));
  if (isGroupShown) return absence(name, 'in_group', 'Another item of its group is shown instead.', hit);
  return absence(name, 'outranked', outrankedBy(itemIndex, options), hit);
}

function outrankedBy(itemIndex: number, options: ExplainSearchOptions): string {
  if (lacksWords(itemIndex, options))
    return 'It has some words of the query, and the list holds those with all.';
  if (options.asked.refinement?.offset) return 'It is on another page of the list.';
  return 'Better items take all places of its list.';
}

/**
 * Whether the items of a refined list have all words and this one does not: together with the first
 * item it is not found.
 */
function lacksWords(itemIndex: number, { environment, asked, facts }: ExplainSearchOptions): boolean {
  const { searchIndex, catalog } = environment;
  const { refinement } = asked;
  if (!refinement) return false;
  const best = (listSize: number, admits: (one: number) => boolean): readonly Hit[] => {
    const whole = { filters: refinement.filters, facets: [], offset: 0 };
    return searchIndex.search({ ...asked, refinement: whole, listSize, admits }).lists[0]?.items ?? [];
  };
  const [first] = best(1, (one) => facts?.barrierTo(one) === undefined);
  const group = catalog.groups.of(itemIndex);
  if (!first || (group >= 0 && catalog.groups.of(first.itemIndex) === group)) return false;
  const found = best(2, (one) => one === itemIndex || one === first.itemIndex);
  return !found.some((hit) => hit.itemIndex === itemIndex);
}
