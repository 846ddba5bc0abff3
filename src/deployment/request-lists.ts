/** Checks of the lists of requests and scheduled batches that message types cannot express. */

import type { JsonObject } from '@bufbuild/protobuf';
import type { RequestList } from '../../gen/es/personalisation/v1/recommendation_pb.js';
import type { Violation } from '../errors.ts';

/** Items of all lists of a subject in a batch. */
const mostItems = 1_000;

export function checkBatchLists(lists: readonly RequestList[]): Violation[] {
  const violations = checkLists(lists);
  if (lists.reduce((sum, { listSize }) => sum + (listSize ?? 0), 0) > mostItems)
    violations.push({ pointer: '/lists', detail: `Must be of at most ${mostItems} items together.` });
  return violations;
}

type WithVariables = { variables?: JsonObject };

/**
 * Checks the size of all variables together, as JSON: every list reads them, and caches hold them.
 *
 * @param pointer Pointer of the message with the variables [the body].
 */
export function checkVariables(
  request: WithVariables & { lists?: readonly WithVariables[] },
  mostBytes: number,
  pointer = '',
): Violation[] {
  let bytes = 0;
  const places = [request, ...(request.lists ?? [])];
  for (const [place, { variables = {} }] of places.entries())
    for (const [name, value] of Object.entries(variables)) {
      bytes += Buffer.byteLength(JSON.stringify({ [name]: value }));
      if (bytes <= mostBytes) continue;
      const list = place === 0 ? '' : `/lists/${place - 1}`;
      const detail = `Up to here the variables of the request and its lists take more than ${mostBytes} bytes of JSON, the most that limits.variable_bytes allows.`;
      return [{ pointer: `${pointer}${list}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`, detail }];
    }
  return [];
}

export function checkLists(lists: readonly RequestList[]): Violation[] {
  const names = new Set<string>();
  return lists.flatMap((list, i) => {
    const pointer = `/lists/${i}`;
    const violations = checkInjected(list, pointer);
    if (names.has(list.listName))
      violations.push({
        pointer: `${pointer}/list_name`,
        detail: `Duplicate name ${JSON.stringify(list.listName)}.`,
      });
    names.add(list.listName);
    if (list.limit !== undefined && list.limit > list.listSize!) {
      violations.push({ pointer: `${pointer}/limit`, detail: 'Must not be above list_size.' });
    }
    return violations;
  });
}

function checkInjected({ listContent, listSize }: RequestList, listPointer: string): Violation[] {
  const ranks = new Set<number>();
  /** Items of two types may have the same ID; without a type, the ID is ambiguous. */
  const typesById = new Map<string, (string | undefined)[]>();
  return listContent.flatMap(({ itemId, itemType, rank }, i) => {
    const pointer = `${listPointer}/list_content/${i}`;
    const violations: Violation[] = [];
    if (rank! > listSize!)
      violations.push({ pointer: `${pointer}/rank`, detail: 'Must not be above list_size.' });
    if (ranks.has(rank!))
      violations.push({ pointer: `${pointer}/rank`, detail: `Duplicate rank ${rank} in list_content.` });
    const others = typesById.get(itemId) ?? [];
    if (others.some((other) => !other || !itemType || other === itemType))
      violations.push({
        pointer: `${pointer}/item_id`,
        detail: `Duplicate item ${JSON.stringify(itemId)} in list_content.`,
      });
    ranks.add(rank!);
    typesById.set(itemId, [...others, itemType]);
    return violations;
  });
}
