/**
 * Freshness of scored candidates: an item's score halves with every half-life of its type since its publication.
 *
 *   score · 2^(-age / half-life)
 */

import type { Catalog } from '../catalog/catalog.ts';
import type { EnvironmentSettings } from '../deployment/deployment.ts';

export type Freshness = {
  /** Orders the first `count` items anew, best first; ties keep their order. */
  apply(
    items: Int32Array,
    scores: Float32Array,
    count: number,
    at: { catalog: Catalog; settings: EnvironmentSettings; nowMs: number },
  ): void;
};

/** Keeps its memory between requests; `capacity` is the most items of one call. */
export function createFreshness(capacity: number): Freshness {
  const places = new Int32Array(capacity);
  const fresh = new Float64Array(capacity);
  const before = new Int32Array(capacity);
  return {
    apply(items, scores, count, { catalog, settings, nowMs }) {
      const halfLives = halfLivesOf(settings);
      for (let place = 0; place < count; place++) {
        places[place] = place;
        before[place] = items[place];
        fresh[place] = scores[place] * freshnessOf(items[place], catalog, halfLives, nowMs);
      }
      places.subarray(0, count).sort((a, b) => fresh[b] - fresh[a] || a - b);
      for (let place = 0; place < count; place++) items[place] = before[places[place]];
    },
  };
}

/** Whether freshness changes anything in an environment. */
export function agesItems({ itemTypes }: EnvironmentSettings): boolean {
  for (const { halfLifeHours } of itemTypes.values()) if (halfLifeHours !== undefined) return true;
  return false;
}

function halfLivesOf({ itemTypes }: EnvironmentSettings): Map<string, number> {
  const halfLives = new Map<string, number>();
  for (const { name, halfLifeHours } of itemTypes.values()) {
    if (halfLifeHours !== undefined) halfLives.set(name, halfLifeHours * 3_600_000);
  }
  return halfLives;
}

/** Above 0 to 1; 1 for items of no age or a type without half-life. */
function freshnessOf(
  itemIndex: number,
  catalog: Catalog,
  halfLives: ReadonlyMap<string, number>,
  nowMs: number,
): number {
  const halfLifeMs = halfLives.get(catalog.itemTypeAt(itemIndex));
  const publishedMs = catalog.publishedAt(itemIndex);
  if (halfLifeMs === undefined || Number.isNaN(publishedMs)) return 1;
  return 2 ** (-Math.max(0, nowMs - publishedMs) / halfLifeMs);
}
