/**
 * Encodes a thread's lists as JSON with items by position: less than half the receiver's cost of
 * cloning objects. Lists with explanations are cloned.
 */

import type { Catalog } from '../../catalog/catalog.ts';
import type { KeptLists } from '../kept-lists.ts';
import type { List, ListItem } from '../recommendation-request.ts';

/** JSON of an AnswerBody, or lists with explanations. */
export type ListAnswer = string | List[];

type AnswerBody = { lists: ListBody[]; isKept: boolean };

/** `items`: `position, rank, groupSize` each, -1 for none; `ids`: IDs of items without position. */
type ListBody = Omit<List, 'items' | 'explanation'> & { items: number[]; ids: string[] };

type Names = Pick<Catalog, 'itemIdAt' | 'itemTypeAt'>;

type Made = ReturnType<KeptLists['of']>;

export function encodeAnswer({ lists, isKept }: Made, catalog: Pick<Catalog, 'indexOf'>): ListAnswer {
  if (lists.some(({ explanation }) => explanation !== undefined)) return lists;
  return JSON.stringify({ lists: lists.map((list) => toBody(list, catalog)), isKept } satisfies AnswerBody);
}

function toBody({ items, ...others }: List, catalog: Pick<Catalog, 'indexOf'>): ListBody {
  const numbers: number[] = [];
  const ids: string[] = [];
  for (const { itemType, itemId, rank, groupSize } of items) {
    const itemIndex = catalog.indexOf(itemType, itemId) ?? -1;
    numbers.push(itemIndex, rank, groupSize ?? -1);
    if (itemIndex < 0) ids.push(itemId);
  }
  return { ...others, items: numbers, ids };
}

export function decodeAnswer(answer: ListAnswer, catalog: Names): Made {
  if (typeof answer !== 'string') return { lists: answer, isKept: false };
  const { lists, isKept } = JSON.parse(answer) as AnswerBody;
  return {
    lists: lists.map(({ items, ids, ...others }) => ({ ...others, items: toItems(items, ids, catalog) })),
    isKept,
  };
}

function toItems(numbers: readonly number[], ids: readonly string[], catalog: Names): ListItem[] {
  const items: ListItem[] = [];
  let unknown = 0;
  for (let at = 0; at < numbers.length; at += 3) {
    const [itemIndex, rank, groupSize] = [numbers[at], numbers[at + 1], numbers[at + 2]];
    const item: ListItem =
      itemIndex < 0
        ? { rank, itemId: ids[unknown++], itemType: '' }
        : { rank, itemId: catalog.itemIdAt(itemIndex), itemType: catalog.itemTypeAt(itemIndex) };
    if (groupSize >= 0) item.groupSize = groupSize;
    items.push(item);
  }
  return items;
}
