/**
 * Freshness of scored candidates: an item's score halves with every half-life since publication.
 *
 *   score · 2^(-age / half-life)
 *
 * The configuration's half-life precedes the item type's; without one, or without an age, the score
 * is unchanged. Negative scores (ignored items) double instead: age never improves a rank.
 *
 * An old item in a burst of attention is news again: if visitors of the last hour want it b > 1
 * times as much as the usual best items, at least 1 - 1/b of its score remains.
 */

import type { EnvironmentSettings } from '../../deployment/deployment.ts';
import type { Catalog } from '../catalog/catalog.ts';

export type HalfLives = {
  /** The configuration's half-life, in milliseconds. */
  ofList?: number;
  /** Half-lives by item type, in milliseconds. */
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

/** Facts of the time of a request. */
export type FreshnessContext = {
  catalog: Catalog;
  nowMs: number;
  /** Items in a burst of attention, with their demand; usual best items have about 1 [none]. */
  bursts?: ReadonlyMap<number, number>;
};

export type ScoredHead = { items: ArrayLike<number>; scores: ArrayLike<number>; count: number };

/** Returns the places of the head by descending aged score; ties keep their order. */
export function orderByFreshness(
  { items, scores, count }: ScoredHead,
  halfLives: HalfLives,
  context: FreshnessContext,
): Int32Array {
  const exponents = Float64Array.from({ length: count }, (_, place) =>
    exponentOf(scores[place], halvingsOf(items[place], halfLives, context)),
  );
  const compare = (a: number, b: number) =>
    Math.sign(scores[b]) - Math.sign(scores[a]) || exponents[b] - exponents[a] || a - b;
  return Int32Array.from({ length: count }, (_, place) => place).sort(compare);
}

/** Returns the remaining fraction of an item's score, 0 to 1. */
export function freshnessOf(itemIndex: number, halfLives: HalfLives, context: FreshnessContext): number {
  return 2 ** -halvingsOf(itemIndex, halfLives, context);
}

/** Returns the age of an item in half-lives, less in a burst. */
function halvingsOf(
  itemIndex: number,
  { ofList, byType }: HalfLives,
  { catalog, nowMs, bursts }: FreshnessContext,
): number {
  const halfLifeMs = ofList ?? byType.get(catalog.itemTypeAt(itemIndex));
  const publishedMs = catalog.publishedAt(itemIndex);
  if (halfLifeMs === undefined || Number.isNaN(publishedMs)) return 0;
  const halvings = Math.max(0, nowMs - publishedMs) / halfLifeMs;
  const burst = bursts?.get(itemIndex) ?? 0;
  return burst > 1 ? Math.min(halvings, -Math.log2(1 - 1 / burst)) : halvings;
}

/** Compares aged scores of one sign by logarithm: those of old items underflow a number. */
function exponentOf(score: number, halvings: number): number {
  if (score === 0) return 0;
  return score > 0 ? Math.log2(score) - halvings : -Math.log2(-score) - halvings;
}
