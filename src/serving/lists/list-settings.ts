/** What a configuration's settings do to one list: the order of its candidates, and what stays out of it. */

import type { ConfigurationSettings } from '../../configurations/settings.ts';
import type { Exclusions } from '../person/exclusions.ts';
import { findTired } from '../person/fatigue.ts';
import type { AbsenceReason, ListRequest } from '../recommendation-request.ts';
import type { ListOrder } from './candidates.ts';
import { halfLivesOf } from './freshness.ts';
import type { ListIngredients } from './list-ingredients.ts';
import { contextIndexOf } from './page-context.ts';

/** What the list's settings do to the order of its candidates. */
export function orderOf(
  { listSize, listName }: ListRequest,
  { freshness, rotation }: ConfigurationSettings,
  { request, environment, requestId, nowMs }: ListIngredients,
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
  { environment: { catalog }, history, nowMs }: ListIngredients,
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
  ingredients: ListIngredients,
): (itemIndex: number) => AbsenceReason | undefined {
  const contextItem = contextIndexOf(ingredients.request, ingredients.environment);
  const { catalog } = ingredients.environment;
  const { freshness, fatigue } = settings;
  const oldest = ingredients.nowMs - (freshness?.maximumAgeMs ?? Number.POSITIVE_INFINITY);
  const tired =
    fatigue &&
    ingredients.history &&
    findTired(ingredients.history, fatigue, { catalog, nowMs: ingredients.nowMs });
  return (itemIndex) => {
    if (itemIndex === contextItem) return 'on_display';
    if (exclusions.isGroupForbidden(itemIndex)) return 'in_group';
    if (exclusions.isTooOld(itemIndex) || catalog.publishedAt(itemIndex) < oldest) return 'too_old';
    if (exclusions.forbids(itemIndex)) return 'consumed';
    if (tired?.has(itemIndex)) return 'tired';
    return !mayRepeat(list, settings) && exclusions.isUsed(itemIndex) ? 'in_other_list' : undefined;
  };
}
