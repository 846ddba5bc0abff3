/** Simulated hourly counts of placements, with the shape of days and weeks. */

import type { PlacementHour } from '../../../src/repository/metrics/metric-placements.ts';
import { createChance } from '../experiments/support.ts';

export type Plan = {
  placement?: string;
  seed: number;
  fromHour: number;
  toHour: number;
  /** Mean impressions of an hour. */
  traffic?: number;
  /** Factors of the true rates in an hour [1]. */
  clicksAt?: (hour: number) => number;
  fillAt?: (hour: number) => number;
  trafficAt?: (hour: number) => number;
  scoresAt?: (hour: number) => number;
  resultsAt?: (hour: number) => number;
  /** Mean hours between new items [3], and the hour of the last one [none is the last]. */
  everyHours?: number;
  lastItemHour?: number;
};

/** Days vary by some 8 %, hours by 10 % more, so that counts vary more than Poisson counts. */
export function simulateHours(plan: Plan): PlacementHour[] {
  const { placement = 'home', seed, fromHour, toHour, traffic = 1_000 } = plan;
  const chance = createChance(seed);
  const normal = () => Math.sqrt(-2 * Math.log(1 - chance())) * Math.cos(2 * Math.PI * chance());
  const count = (mean: number) => Math.max(0, Math.round(mean + Math.sqrt(mean) * normal()));
  const rows: PlacementHour[] = [];
  const { everyHours = 3, lastItemHour = toHour } = plan;
  let [ofDay, ofModels, newestHour] = [0, 0, fromHour];
  for (let hour = fromHour; hour < toHour; hour++) {
    if (hour % 24 === 0) [ofDay, ofModels] = [0.08 * normal(), 0.04 * normal()];
    if (hour < lastItemHour && chance() < 1 / everyHours) newestHour = hour;
    const ofHour = Math.exp(ofDay + 0.1 * normal());
    const shape = (1 + 0.8 * Math.sin((hour / 24) * 2 * Math.PI)) * (Math.floor(hour / 24) % 7 < 5 ? 1 : 1.4);
    const requests = count(0.2 * traffic * shape * ofHour * (plan.trafficAt?.(hour) ?? 1));
    const impressions = Math.round(5 * requests);
    const rate = 0.04 * (1 + 0.3 * Math.sin((hour / 168) * 2 * Math.PI)) * (plan.clicksAt?.(hour) ?? 1);
    const clicks = count(impressions * rate * Math.exp(0.1 * normal()));
    const filled = Math.min(1, 0.99 * (plan.fillAt?.(hour) ?? 1));
    const sets = Math.min(requests, count(requests * filled));
    const freshness = 1 / (1 + (hour + 0.5 - newestHour) / 24);
    const score = Math.min(1, 0.5 * Math.exp(ofModels) * (plan.scoresAt?.(hour) ?? 1));
    const found = Math.min(1, 0.96 * (plan.resultsAt?.(hour) ?? 1));
    if (requests > 0)
      rows.push({
        ...{ placement, hour, impressions, clicks, requests, recommendation_sets: sets },
        ...{ list_freshness: sets * freshness, list_scores: sets * score + 0.3 * Math.sqrt(sets) * normal() },
        search_requests: requests,
        searches_without_results: Math.min(requests, count(requests * (1 - found))),
      });
  }
  return rows;
}
