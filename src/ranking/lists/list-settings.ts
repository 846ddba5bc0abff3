/** Applies a configuration's settings to one list: candidate order and exclusions. */

import { isClick } from '../../events/meaning.ts';
import type { HistoryEntry } from '../history.ts';
import type { ConfigurationSettings } from '../rules/settings.ts';
import type { ListOrder } from './candidates.ts';
import { halfLivesOf } from './freshness.ts';
import { spentIn } from './guarantees.ts';
import type { ListIngredients } from './list-ingredients.ts';
import { contextIndexesOf } from './page-context.ts';
import type { Exclusions } from './person/exclusions.ts';
import { findTired } from './person/fatigue.ts';
import { hiddenBy } from './pins.ts';
import type { AbsenceReason, ListRequest } from './recommendation-request.ts';

export function orderOf(
  { listSize, listName }: ListRequest,
  settings: ConfigurationSettings,
  ingredients: ListIngredients,
): ListOrder {
  const { request, environment, requestId, nowMs } = ingredients;
  const { freshness, rotation, calibration } = settings;
  const halfLives = halfLivesOf(environment.settings, freshness?.halfLifeMs);
  const tired = usuallyTired(settings, ingredients);
  const order = { listSize, halfLives, calibration: calibration?.strength, tired };
  if (!rotation?.rate || request.isUniform) return order;
  const period = rotation.periodMs === 0 ? requestId : Math.floor(nowMs / rotation.periodMs);
  const seed = [request.userId ?? request.deviceId, listName, period].join('\u0000');
  return { ...order, rotation: { rate: rotation.rate, seed } };
}

/** Without a setting, impressions of a visitor without clicks: such items come last. */
const usualFatigue = { maximumImpressions: 3, windowMs: 2 * 86_400_000 };

/** Returns items that a visitor without clicks saw often enough to move behind all others. */
function usuallyTired(
  { fatigue }: ConfigurationSettings,
  { environment: { catalog }, history, nowMs }: ListIngredients,
): ReadonlySet<number> | undefined {
  if (fatigue || !history || history.impressions.length < usualFatigue.maximumImpressions) return undefined;
  const earliest = (nowMs - usualFatigue.windowMs) / 1000;
  const clicks = ({ eventType, occurredAtSeconds }: HistoryEntry) =>
    isClick(eventType) && occurredAtSeconds >= earliest;
  if (history.entries.some(clicks)) return undefined;
  const tired = findTired(history, usualFatigue, { catalog, nowMs });
  return tired.size > 0 ? tired : undefined;
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
  list: ListRequest,
  settings: ConfigurationSettings,
  exclusions: Exclusions,
  ingredients: ListIngredients,
): (itemIndex: number) => boolean {
  const isTooOld = tooOldFor(settings, exclusions, ingredients);
  const tired = tiredFor(settings, ingredients);
  const isSpent = spentIn(list);
  const hidden = hiddenBy(settings, ingredients.environment.catalog);
  return (itemIndex) =>
    exclusions.forbids(itemIndex) ||
    isTooOld(itemIndex) ||
    tired?.has(itemIndex) === true ||
    hidden.has(itemIndex) ||
    isSpent?.(itemIndex) === true;
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
  const isSpent = spentIn(list);
  const tired = tiredFor(settings, ingredients) ?? usuallyTired(settings, ingredients);
  const hidden = hiddenBy(settings, ingredients.environment.catalog);
  return (itemIndex) => {
    if (hidden.has(itemIndex)) return 'hidden';
    if (onDisplay.includes(itemIndex)) return 'on_display';
    if (exclusions.isDisliked(itemIndex)) return 'disliked';
    if (exclusions.isGroupForbidden(itemIndex)) return 'in_group';
    if (isTooOld(itemIndex)) return 'too_old';
    if (exclusions.forbids(itemIndex)) return 'consumed';
    if (tired?.has(itemIndex)) return 'tired';
    if (isSpent?.(itemIndex)) return 'spent';
    return !mayRepeat(list, settings) && exclusions.isUsed(itemIndex) ? 'in_other_list' : undefined;
  };
}
