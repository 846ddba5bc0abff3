/** Applies a configuration's settings to one list: candidate order and exclusions. */

import type { ConfigurationSettings } from '../rules/settings.ts';
import type { ListOrder } from './candidates.ts';
import { halfLivesOf } from './freshness.ts';
import type { ListIngredients } from './list-ingredients.ts';
import { contextIndexesOf } from './page-context.ts';
import type { Exclusions } from './person/exclusions.ts';
import { findTired } from './person/fatigue.ts';
import type { AbsenceReason, ListRequest } from './recommendation-request.ts';

export function orderOf(
  { listSize, listName }: ListRequest,
  { freshness, rotation, calibration }: ConfigurationSettings,
  { request, environment, requestId, nowMs }: ListIngredients,
): ListOrder {
  const halfLives = halfLivesOf(environment.settings, freshness?.halfLifeMs);
  const order = { halfLives, calibration: calibration?.strength };
  if (!rotation?.rate) return order;
  const period = rotation.periodMs === 0 ? requestId : Math.floor(nowMs / rotation.periodMs);
  const seed = [request.userId ?? request.deviceId, listName, period].join('\u0000');
  return { ...order, rotation: { rate: rotation.rate, listSize, seed } };
}

/** Whether an item exceeds the maximum age of the configuration or, by default, of its type. */
export function tooOldFor(
  { freshness }: ConfigurationSettings,
  exclusions: Exclusions,
  { environment: { catalog }, nowMs }: ListIngredients,
): (itemIndex: number) => boolean {
  if (freshness?.maximumAgeMs === undefined) return exclusions.isTooOld;
  const oldest = nowMs - freshness.maximumAgeMs;
  return (itemIndex) => catalog.publishedAt(itemIndex) < oldest;
}

/** Returns the exclusions of the subject and the list's settings. */
export function forbiddenBy(
  settings: ConfigurationSettings,
  exclusions: Exclusions,
  ingredients: ListIngredients,
): (itemIndex: number) => boolean {
  const isTooOld = tooOldFor(settings, exclusions, ingredients);
  const tired = tiredFor(settings, ingredients);
  return (itemIndex) =>
    exclusions.forbids(itemIndex) || isTooOld(itemIndex) || tired?.has(itemIndex) === true;
}

function tiredFor(
  { fatigue }: ConfigurationSettings,
  { environment: { catalog }, history, nowMs }: ListIngredients,
): ReadonlySet<number> | undefined {
  return fatigue && history && findTired(history, fatigue, { catalog, nowMs });
}

export function mayRepeat(list: ListRequest, settings: ConfigurationSettings): boolean {
  return list.allowDuplicates || settings.allowDuplicates;
}

/** Returns the first reason besides rules that excludes an item. */
export function exclusionReasons(
  list: ListRequest,
  settings: ConfigurationSettings,
  exclusions: Exclusions,
  ingredients: ListIngredients,
): (itemIndex: number) => AbsenceReason | undefined {
  const onDisplay = contextIndexesOf(ingredients.request, ingredients.environment);
  const isTooOld = tooOldFor(settings, exclusions, ingredients);
  const tired = tiredFor(settings, ingredients);
  return (itemIndex) => {
    if (onDisplay.includes(itemIndex)) return 'on_display';
    if (exclusions.isGroupForbidden(itemIndex)) return 'in_group';
    if (isTooOld(itemIndex)) return 'too_old';
    if (exclusions.forbids(itemIndex)) return 'consumed';
    if (tired?.has(itemIndex)) return 'tired';
    return !mayRepeat(list, settings) && exclusions.isUsed(itemIndex) ? 'in_other_list' : undefined;
  };
}
