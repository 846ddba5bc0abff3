/** Rewards of listed items: clicks that name the request, and purchases of the clicked items. */

import { purchaseOf } from '../../events/meaning.ts';
import type { Database } from '../../repository/database.ts';
import { type ListOutcome, listOutcomes } from '../../repository/events/list-outcomes.ts';

export type RewardMetric = 'clicks' | 'purchases' | 'revenue';

export type RewardQuestion = {
  environment: string;
  metric: RewardMetric;
  requestIds: readonly string[];
  since: Date;
  attributionWindowMs: number;
};

/** Returns the reward of an item in a list: 0 or 1 click, pieces bought, or money. */
export type RewardLookup = (requestId: string, listName: string, itemId: string) => number;

export async function findRewards(db: Database, question: RewardQuestion): Promise<RewardLookup> {
  const { environment, metric, requestIds, since } = question;
  const read = (filter: Parameters<typeof listOutcomes>[2]['filter']) =>
    listOutcomes(db, environment, { since, filter });
  const clicks = await read({ eventType: 'click_on_recommendation', requestIds });
  const byClick = new Map<string, ListOutcome[]>();
  for (const click of clicks) {
    const key = keyOf(click.requestId!, click.itemId);
    byClick.set(key, [...(byClick.get(key) ?? []), click]);
  }
  const itemIds = [...new Set(clicks.map(({ itemId }) => itemId))];
  const purchases =
    metric === 'clicks' || itemIds.length === 0 ? [] : await read({ eventType: 'purchase', itemIds });
  const worth = createWorth(purchases, question);
  return (requestId, listName, itemId) => {
    const own = (byClick.get(keyOf(requestId, itemId)) ?? []).filter(
      (click) => click.listName === null || click.listName === listName,
    );
    if (own.length === 0) return 0;
    return metric === 'clicks' ? 1 : worth(own);
  };
}

const keyOf = (requestId: string, itemId: string) => JSON.stringify([requestId, itemId]);

/** Returns a function that sums up the purchases after clicks on one item, each once. */
function createWorth(
  purchases: readonly ListOutcome[],
  { metric, attributionWindowMs }: RewardQuestion,
): (clicks: readonly ListOutcome[]) => number {
  const byItem = Map.groupBy(purchases, ({ itemId }) => itemId);
  const follows = (click: ListOutcome) => (purchase: ListOutcome) => {
    const afterMs = purchase.occurredAtMs - click.occurredAtMs;
    const isSame =
      (click.userId !== null && click.userId === purchase.userId) ||
      (click.deviceId !== null && click.deviceId === purchase.deviceId);
    return isSame && afterMs >= 0 && afterMs <= attributionWindowMs;
  };
  return (clicks) => {
    const bought = new Set(
      clicks.flatMap((click) => (byItem.get(click.itemId) ?? []).filter(follows(click))),
    );
    let sum = 0;
    for (const purchase of bought) {
      const { items, revenue } = purchaseOf(purchase);
      sum += (metric === 'purchases' ? items : revenue) / 1e6;
    }
    return sum;
  };
}
