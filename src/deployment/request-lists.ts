/** The lists that a request asks for, and a nightly batch of the deployment file: what message types cannot say of them. */

import type { RequestList } from '../../gen/es/personalisation/v1/recommendation_pb.js';
import type { Violation } from '../errors.ts';

/** Items of one person's lists together. */
const mostItems = 1_000;

/** Of a batch, which makes them for many people. */
export function checkBatchLists(lists: readonly RequestList[]): Violation[] {
  const violations = checkLists(lists);
  if (lists.reduce((sum, { listSize }) => sum + (listSize ?? 0), 0) > mostItems)
    violations.push({ pointer: '/lists', detail: `Must be of at most ${mostItems} items together.` });
  return violations;
}

/** What one list says in two places must fit together. */
export function checkLists(lists: readonly RequestList[]): Violation[] {
  const names = new Set<string>();
  return lists.flatMap((list, i) => {
    const pointer = `/lists/${i}`;
    const violations = checkInjected(list, pointer);
    if (names.has(list.listName))
      violations.push({ pointer: `${pointer}/list_name`, detail: 'Stands twice in the request.' });
    names.add(list.listName);
    if (list.limit !== undefined && list.limit > list.listSize!) {
      violations.push({ pointer: `${pointer}/limit`, detail: 'Must not be above list_size.' });
    }
    return violations;
  });
}

function checkInjected({ listContent, listSize }: RequestList, listPointer: string): Violation[] {
  const ranks = new Set<number>();
  /** One id of two types is two items; without a type it may be either. */
  const typesById = new Map<string, (string | undefined)[]>();
  return listContent.flatMap(({ itemId, itemType, rank }, i) => {
    const pointer = `${listPointer}/list_content/${i}`;
    const violations: Violation[] = [];
    if (rank! > listSize!)
      violations.push({ pointer: `${pointer}/rank`, detail: 'Must not be above list_size.' });
    if (ranks.has(rank!))
      violations.push({ pointer: `${pointer}/rank`, detail: 'Stands twice in list_content.' });
    const others = typesById.get(itemId) ?? [];
    if (others.some((other) => !other || !itemType || other === itemType))
      violations.push({ pointer: `${pointer}/item_id`, detail: 'Stands twice in list_content.' });
    ranks.add(rank!);
    typesById.set(itemId, [...others, itemType]);
    return violations;
  });
}
