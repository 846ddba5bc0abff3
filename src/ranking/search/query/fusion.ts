/**
 * Mixes hits by text and items by similarity (reciprocal rank fusion; Cormack, Clarke and Büttcher, SIGIR
 * 2009): an item scores the sum of 1 / (60 + rank) over the lists that have it. Scores of text and
 * similarity need not be comparable.
 */

import type { Similar } from '../../vectors/vector-matrix.ts';
import type { DistinctHits } from './distinct-hits.ts';
import { type Hit, unrankedHit } from './hits.ts';
import type { UnderstoodRequest } from './request-hits.ts';
import { isBrowse } from './search-request.ts';
import { tiers } from './tiers.ts';

const rankOffset = 60;

const worthOf = (place: number): number => 1 / (rankOffset + place + 1);

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
export function fuse(hits: readonly Hit[], { items, similarities }: Similar): Hit[] {
  const fused = new Map(
    hits.map((hit, place) => [hit.itemIndex, { ...hit, tier: tiers.fused, score: worthOf(place) } as Hit]),
  );
  for (const [place, itemIndex] of items.entries()) {
    const hit = fused.get(itemIndex) ?? { ...unrankedHit(itemIndex), tier: tiers.fused };
    const score = hit.score + worthOf(place);
    fused.set(itemIndex, { ...hit, score, similarity: similarities[place] });
  }
  return [...fused.values()].sort((one, other) => other.score - one.score);
}
