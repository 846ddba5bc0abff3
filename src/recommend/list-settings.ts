/** What a configuration's settings do to one list: the order of its candidates, and what stays out of it. */

import type { ConfigurationSettings } from '../configurations/settings.ts';
import type { ListOrder } from './candidates.ts';
import type { Exclusions } from './exclusions.ts';
import { findTired } from './fatigue.ts';
import { halfLivesOf } from './freshness.ts';
import type { ListMaking } from './list-making.ts';
import { contextIndexOf } from './page.ts';
import type { AbsenceReason, ListRequest } from './request.ts';

/** What the list's settings do to the order of its candidates. */
export function orderOf(
  { listSize, listName }: ListRequest,
  { freshness, rotation }: ConfigurationSettings,
  { request, environment, requestId, nowMs }: ListMaking,
): ListOrder {
  const halfLives = halfLivesOf(environment.settings, freshness?.halfLifeMs);
  if (!rotation?.rate) return { halfLives };
  const period = rotation.periodMs === 0 ? requestId : Math.floor(nowMs / rotation.periodMs);
  const seed = [request.userId ?? request.deviceId, listName, period].join('\u0000');
  return { halfLives, rotation: { rate: rotation.rate, listSize, seed } };
}

/** What the person and the list's settings keep out of it. */
export function forbiddenBy(
  { freshness, fatigue }: ConfigurationSettings,
  exclusions: Exclusions,
  { environment: { catalog }, history, nowMs }: ListMaking,
): (itemIndex: number) => boolean {
  const oldest = freshness?.maximumAgeMs === undefined ? undefined : nowMs - freshness.maximumAgeMs;
  const tired = fatigue && history && findTired(history, fatigue, { catalog, nowMs });
  if (oldest === undefined && !tired?.size) return exclusions.forbids;
  return (itemIndex) =>
    exclusions.forbids(itemIndex) ||
    (oldest !== undefined && catalog.publishedAt(itemIndex) < oldest) ||
    tired?.has(itemIndex) === true;
}

export function mayRepeat(list: ListRequest, settings: ConfigurationSettings): boolean {
  return list.allowDuplicates || settings.allowDuplicates;
}

/** Names what keeps an item out besides rules, the first that does. */
export function exclusionReasons(
  list: ListRequest,
  settings: ConfigurationSettings,
  exclusions: Exclusions,
  making: ListMaking,
): (itemIndex: number) => AbsenceReason | undefined {
  const contextItem = contextIndexOf(making.request, making.environment);
  const { catalog } = making.environment;
  const { freshness, fatigue } = settings;
  const oldest = making.nowMs - (freshness?.maximumAgeMs ?? Number.POSITIVE_INFINITY);
  const tired =
    fatigue && making.history && findTired(making.history, fatigue, { catalog, nowMs: making.nowMs });
  return (itemIndex) => {
    if (itemIndex === contextItem) return 'on_display';
    if (exclusions.isTooOld(itemIndex) || catalog.publishedAt(itemIndex) < oldest) return 'too_old';
    if (exclusions.forbids(itemIndex)) return 'consumed';
    if (tired?.has(itemIndex)) return 'tired';
    return !mayRepeat(list, settings) && exclusions.isUsed(itemIndex) ? 'in_other_list' : undefined;
  };
}
