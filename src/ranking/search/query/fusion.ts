/**
 * Mixes hits by text and items by similarity. An item scores the sum of 1 / (60 + rank) over the lists that
 * have it, so scores need not be comparable (reciprocal rank fusion; Cormack, Clarke and Büttcher, SIGIR
 * 2009); or, with a weight of similarity, the convex mix of both scores, each divided by the best one (Bruch,
 * Gai and Ingber, "An Analysis of Fusion Functions for Hybrid Retrieval", TOIS 2023).
 */

import type { SimilarItems } from '../../vectors/item-vectors.ts';
import type { DistinctHits } from './distinct-hits.ts';
import { type Hit, unrankedHit } from './hits.ts';
import type { UnderstoodRequest } from './request-hits.ts';
import { isBrowse } from './search-request.ts';
import { tiers } from './tiers.ts';

const rankOffset = 60;

const byRank = (place: number): number => 1 / (rankOffset + place + 1);

/** Negative scores count as 0. */
function byShare(scores: readonly number[], weight: number): typeof byRank {
  const best = scores.reduce((most, score) => Math.max(most, score), 0);
  return (place) => (best > 0 ? (weight * Math.max(0, scores[place])) / best : 0);
}

type MixedParts = {
  distinct: DistinctHits;
  findDistinct(asked: UnderstoodRequest, limit: number, wanted: number): Hit[];
};

/**
 * Returns hits mixed with similar items, one of each group; undefined without similar items. Without
 * words, similarity alone counts. @param depth of both
 */
export function findMixed(
  asked: UnderstoodRequest,
  depth: number,
  { distinct, findDistinct }: MixedParts,
): Hit[] | undefined {
  const { request, among } = asked;
  const similar = request.findSimilar?.(depth, among.admits);
  if (!similar) return undefined;
  const hits = isBrowse(request) ? [] : findDistinct(asked, depth, depth);
  const others = hits.filter(({ itemIndex }) => !similar.named.includes(itemIndex));
  return distinct.firstOf(fuse(others, similar), request.nextInGroup);
}

/** Equal scores keep the order of the hits, then that of the similar items. */
function fuse(
  hits: readonly Hit[],
  { items, similarities, weight }: Pick<SimilarItems, 'items' | 'similarities' | 'weight'>,
): Hit[] {
  const scores = hits.map(({ score }) => score);
  const ofHit = weight === undefined ? byRank : byShare(scores, 1 - weight);
  const ofSimilar = weight === undefined ? byRank : byShare(similarities, weight);
  const fused = new Map(
    hits.map((hit, place) => [hit.itemIndex, { ...hit, tier: tiers.fused, score: ofHit(place) } as Hit]),
  );
  for (const [place, itemIndex] of items.entries()) {
    const hit = fused.get(itemIndex) ?? { ...unrankedHit(itemIndex), tier: tiers.fused };
    fused.set(itemIndex, { ...hit, score: hit.score + ofSimilar(place), similarity: similarities[place] });
  }
  return [...fused.values()].sort((one, other) => other.score - one.score);
}
