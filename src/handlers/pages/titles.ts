/** Titles and segments of rows. */

import type { RowSource } from '../../../gen/es/personalisation/v1/page_service_pb.js';
import type { ServingEnvironment } from '../../ranking/environment/serving-environment.ts';
import type { RowPlan } from '../../ranking/lists/recommendation-request.ts';
import { viewedItem } from './candidate-rows.ts';

type TitleContext = { language: string; serving: ServingEnvironment };

/** Fills the placeholders of the template of a language. */
export function titleOf(source: RowSource, row: RowPlan, { language, serving }: TitleContext): string {
  const { listName, title, titles } = source;
  const template = titles[language] ?? titles[language.split('-')[0]] ?? title ?? listName;
  const { segment, because } = row;
  const isCategory = segment?.key === 'categories';
  const name = isCategory ? segment.value.split('/').at(-1) : segment?.value;
  const item = because === undefined ? undefined : itemTitle(because, serving);
  return template.replaceAll('{segment}', () => name ?? '').replaceAll('{item.title}', () => item ?? '');
}

function itemTitle(itemIndex: number, { catalog }: ServingEnvironment): string {
  const [title] = catalog.column('title')?.valuesAt(itemIndex) ?? [];
  return title === undefined ? catalog.itemIdAt(itemIndex) : String(title);
}

export function segmentOf(
  { segment, because }: RowPlan,
  { catalog }: ServingEnvironment,
): { property: string; value: string } | undefined {
  if (segment) return { property: segment.key, value: segment.value };
  return because === undefined ? undefined : { property: viewedItem, value: catalog.itemIdAt(because) };
}
