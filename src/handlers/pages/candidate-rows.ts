/** Finds the segments of a subject, and the candidate rows of a page. */

import type { ServingEnvironment } from '../../ranking/environment/serving-environment.ts';
import type { Weighting } from '../../ranking/environment/weightings.ts';
import type { History, HistoryEntry } from '../../ranking/history.ts';
import type { ListRequest } from '../../ranking/lists/recommendation-request.ts';
import type { Scorer } from '../../ranking/models/blend.ts';
import { bindQuery } from '../../ranking/rules/bind.ts';

type Entries = Pick<History, 'entries'> | undefined;

/** Latest items of the history, and trending items, that name segments. */
const mostItems = { ofHistory: 50, trending: 300 };

/** Rows that a source offers for each row that the page may take from it. */
const choice = 2;

/** Values of `for_each` besides properties. */
export const viewedItem = 'viewed_item';

export type SourcePlan = { list: ListRequest; forEach?: string; maximumRows: number };

export const mostCandidates = ({ forEach, maximumRows }: Omit<SourcePlan, 'list'>): number =>
  forEach === undefined ? 1 : choice * maximumRows;

/** Returns the candidate rows of all sources, each source's in the order of interest. */
export function candidateRows(
  sources: readonly SourcePlan[],
  history: Entries,
  environment: ServingEnvironment,
  nowMs: number,
): ListRequest[] {
  return sources.flatMap((source) => {
    const { list, forEach } = source;
    if (forEach === undefined) return [list];
    const most = mostCandidates(source);
    if (forEach === viewedItem)
      return viewedItems(history, environment, nowMs)
        .slice(0, most)
        .map((because) => ({ ...list, row: { ...list.row!, because } }));
    return segmentsOf(forEach, history, environment, nowMs)
      .slice(0, most)
      .map((value) => ({ ...list, row: { ...list.row!, segment: { key: forEach, value } } }));
  });
}

/** Returns the latest distinct items of a history that can be shown, latest first. */
function viewedItems(history: Entries, { catalog }: ServingEnvironment, nowMs: number): number[] {
  const indexOf = ({ itemId, itemType }: HistoryEntry) => catalog.indexOfId(itemId, itemType || undefined);
  const found = new Set((history?.entries ?? []).map(indexOf).filter((item) => item !== undefined));
  return [...found].filter((item) => catalog.servable(item, nowMs)).slice(0, mostItems.ofHistory);
}

/**
 * Returns the values of a property by interest: each of the latest items of the history counts by
 * the reciprocal of its rank, and trending items decide among the rest.
 */
export function segmentsOf(
  key: string,
  history: Entries,
  environment: ServingEnvironment,
  nowMs: number,
): string[] {
  const { catalog, models } = environment;
  const column = catalog.column(key);
  if (!column) return [];
  const weights = new Map<string, number>();
  const count = (itemIndex: number, weight: number) => {
    for (const value of column.valuesAt(itemIndex))
      if (value !== '') weights.set(String(value), (weights.get(String(value)) ?? 0) + weight);
  };
  for (const [place, itemIndex] of viewedItems(history, environment, nowMs).entries())
    count(itemIndex, 1 / (place + 1));
  const known = models.fallbackOrder.length > 0 ? models.fallbackOrder : newest(catalog.itemCount);
  /** All trending items together weigh less than the last item of the history. */
  for (const itemIndex of known.subarray(0, mostItems.trending))
    if (catalog.servable(itemIndex, nowMs)) count(itemIndex, 1e-5);
  return [...weights].sort(([, a], [, b]) => b - a).map(([value]) => value);
}

/** Best items of a segment that count in its gain, of this many candidates; as for rows of pages. */
const counted = { items: 5, candidates: 1_000 };

export type LikeSegment = { key: string; like: string; weighting: Weighting; nowMs: number };

/**
 * Returns the segments that resemble one, best first. The most popular items of the segment stand for
 * a history; the gain of another segment is the sum of its best five scores, each divided by the
 * binary logarithm of its rank + 1.
 */
export function segmentsLike(
  { key, like, weighting, nowMs }: LikeSegment,
  { catalog, models, matchSets }: ServingEnvironment,
  scorer: Scorer,
): { value: string; gain: number }[] {
  const column = catalog.column(key);
  const test = {
    operator: 'equals',
    operands: [{ value: like }],
    quantifier: 'any',
    negated: false,
  } as const;
  const query = { key, tests: [{ ...test, operands: [...test.operands] }] };
  const binding = bindQuery(query, { catalog, variables: () => undefined, nowMs });
  if (!column || binding.outcome !== 'bound') return [];
  const segment = matchSets.get(binding.query);
  const members: number[] = [];
  for (let i = 0; i < catalog.itemCount; i++)
    if (segment.has(i) && catalog.servable(i, nowMs)) members.push(i);
  const seeds = members.sort((a, b) => models.popularityOf(b) - models.popularityOf(a));
  const recents = seeds
    .slice(0, mostItems.ofHistory)
    .map((itemIndex) => ({ itemIndex, ageSeconds: 0, weight: 1 }));
  const found = scorer.score(models.blendFor(weighting), { recents, limit: counted.candidates });
  const gains = new Map<string, { gain: number; items: number }>();
  for (let place = 0; place < found; place++) {
    const itemIndex = scorer.items[place];
    if (segment.has(itemIndex) || !catalog.servable(itemIndex, nowMs)) continue;
    for (const value of column.valuesAt(itemIndex)) {
      const one = gains.get(String(value)) ?? { gain: 0, items: 0 };
      gains.set(String(value), one);
      if (value === '' || ++one.items > counted.items) continue;
      one.gain += scorer.scores[place] / Math.log2(one.items + 1);
    }
  }
  const ranked = Array.from(gains, ([value, { gain }]) => ({ value, gain }));
  return ranked.filter(({ value, gain }) => value !== like && gain > 0).sort((a, b) => b.gain - a.gain);
}

function newest(itemCount: number): Int32Array {
  const length = Math.min(mostItems.trending, itemCount);
  return Int32Array.from({ length }, (_, place) => itemCount - 1 - place);
}
