/** Hits of an empty query: the best items by prior and taste. */
import type { Catalog } from '../../catalog/catalog.ts';
import { createTop } from '../scoring/top.ts';
import {
  clamped,
  type Hit,
  type HitRequest,
  type ItemWorth,
  mostHits,
  priorShare,
  tasteShare,
  withWorth,
} from './hits.ts';
import { tiers } from './tiers.ts';

export type BrowseRequest = Pick<HitRequest, 'limit' | 'among' | 'prior' | 'taste'> & {
  catalog: Pick<Catalog, 'itemCount' | 'comesBefore'>;
};

function scoreOf(itemIndex: number, prior: ItemWorth | undefined, taste: ItemWorth | undefined): number {
  return 1 + priorShare * clamped(prior, itemIndex) + tasteShare * clamped(taste, itemIndex);
}

export function browse({ catalog, limit, among: { admits }, prior, taste }: BrowseRequest): {
  hits: Hit[];
  isComplete: boolean;
} {
  const top = createTop(mostHits, catalog.comesBefore);
  top.begin(limit);
  const hitOf = (itemIndex: number): Hit =>
    withWorth({ itemIndex, tier: tiers.someWords, text: 1, feedback: 0 }, { prior, taste });
  for (let itemIndex = 0; itemIndex < catalog.itemCount; itemIndex++) {
    const score = scoreOf(itemIndex, prior, taste);
    if (score >= top.threshold && admits(itemIndex)) top.offer(itemIndex, score);
  }
  top.finish();
  const hits = Array.from(top.items.subarray(0, top.size), hitOf);
  return { hits, isComplete: top.size < Math.min(limit, mostHits) };
}
