/**
 * Freshness of scored candidates: an item's score halves with every half-life since its publication.
 *
 *   score · 2^(-age / half-life)
 *
 * The half-life is the configuration's, else the item type's; without one, and for items of no age, the score stays.
 */

import type { Catalog } from '../../catalog/catalog.ts';
import type { EnvironmentSettings } from '../../deployment/deployment.ts';

export type HalfLives = {
  /** Of the configuration, in milliseconds. */
  ofList?: number;
  /** By item type, in milliseconds. */
  byType: ReadonlyMap<string, number>;
};

export function halfLivesOf({ itemTypes }: EnvironmentSettings, ofList?: number): HalfLives {
  const byType = new Map<string, number>();
  for (const { name, halfLifeHours } of itemTypes.values()) {
    if (halfLifeHours !== undefined) byType.set(name, halfLifeHours * 3_600_000);
  }
  return { ofList, byType };
}

/** Whether age changes any score. */
export function agesItems({ ofList, byType }: HalfLives): boolean {
  return ofList !== undefined || byType.size > 0;
}

export type ScoredHead = { items: ArrayLike<number>; scores: ArrayLike<number>; count: number };

/** The places of the head, freshest and best first; equal ones keep their order. */
export function orderByFreshness(
  { items, scores, count }: ScoredHead,
  halfLives: HalfLives,
  { catalog, nowMs }: { catalog: Catalog; nowMs: number },
): Int32Array {
  const fresh = Float64Array.from({ length: count }, (_, place) => {
    return scores[place] * freshnessOf(items[place], catalog, halfLives, nowMs);
  });
  return Int32Array.from(fresh.keys()).sort((a, b) => fresh[b] - fresh[a] || a - b);
}

/** Above 0 to 1. */
function freshnessOf(
  itemIndex: number,
  catalog: Catalog,
  { ofList, byType }: HalfLives,
  nowMs: number,
): number {
  const halfLifeMs = ofList ?? byType.get(catalog.itemTypeAt(itemIndex));
  const publishedMs = catalog.publishedAt(itemIndex);
  if (halfLifeMs === undefined || Number.isNaN(publishedMs)) return 1;
  return 2 ** (-Math.max(0, nowMs - publishedMs) / halfLifeMs);
}
