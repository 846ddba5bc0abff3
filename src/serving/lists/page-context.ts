/** What is known of the page that the lists are for. */

import type { ListEnvironment } from '../environment/serving-environment.ts';
import type { RecommendationRequest } from '../recommendation-request.ts';

/** Catalogue position of the item on display, if the catalogue knows it. */
export function contextIndexOf(
  { contextItem }: RecommendationRequest,
  { catalog }: ListEnvironment,
): number | undefined {
  return contextItem && catalog.indexOfId(contextItem.itemId, contextItem.itemType);
}

/** Nearest first: what the page or the person is about, then the page's type and the channel. */
export function segmentsOf(
  { pageType, channel }: RecommendationRequest,
  { models, catalog }: ListEnvironment,
  contextItem: number | undefined,
  interests: readonly string[],
): number[] {
  const [contextCategory] =
    contextItem === undefined ? [] : catalog.column('categories')!.valuesAt(contextItem);
  const rows = [
    contextCategory === undefined ? undefined : models.segmentOf('category', String(contextCategory)),
    ...interests.slice(-2).map((interest) => models.segmentOf('category', interest)),
    models.segmentOf('page_type', pageType),
    channel === undefined ? undefined : models.segmentOf('channel', channel),
  ];
  return rows.filter((row) => row !== undefined);
}
