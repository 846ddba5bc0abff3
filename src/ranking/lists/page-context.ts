/** Describes the page of a request. */

import { usualSegments } from '../../deployment/deployment.ts';
import type { ListEnvironment } from '../environment/serving-environment.ts';
import type { RecommendationRequest } from './recommendation-request.ts';

/** Returns the catalogue position of the context item, if the catalogue contains it. */
export function contextIndexOf(
  { contextItem }: RecommendationRequest,
  { catalog }: ListEnvironment,
): number | undefined {
  return contextItem && catalog.indexOfId(contextItem.itemId, contextItem.itemType);
}

/** Returns every item that the context item may be; without a type, one ID may name several. */
export function contextIndexesOf(
  { contextItem }: RecommendationRequest,
  { catalog }: ListEnvironment,
): number[] {
  return contextItem ? catalog.indexesOfId(contextItem.itemId, contextItem.itemType) : [];
}

/** Sources of categories: the context item and the subject's interests. */
export type Categories = { contextItem: number | undefined; interests: readonly string[] };

/** Returns the segments for models, nearest first, and those for the fallbacks. */
export function segmentsOf(
  request: RecommendationRequest,
  { models, catalog, settings }: ListEnvironment,
  { contextItem, interests }: Categories,
): { ofModels: number[]; ofFallbacks: number[] } {
  const valuesOf = (name: string): (string | undefined)[] => {
    if (name === 'page_type') return [request.pageType];
    if (name === 'channel') return [request.channel];
    if (name !== 'category') return [request.properties?.[name]];
    const [ofContext] = contextItem === undefined ? [] : catalog.column('categories')!.valuesAt(contextItem);
    return [ofContext === undefined ? undefined : String(ofContext), ...interests.slice(-2)];
  };
  const rowOf = (name: string, value: string | undefined) =>
    value === undefined ? undefined : models.segmentOf(name, value);
  const rowsOf = (names: readonly string[]) =>
    names.flatMap((name) => valuesOf(name).map((value) => rowOf(name, value))).filter(isRow);
  const { segments } = settings.fallbacks;
  const ofModels = rowsOf(usualSegments);
  return { ofModels, ofFallbacks: segments ? rowsOf(segments) : ofModels };
}

function isRow(row: number | undefined): row is number {
  return row !== undefined;
}
