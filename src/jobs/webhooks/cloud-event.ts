/** Changes as CloudEvents 1.0 in JSON, and cursors that name a position in the outbox. */

import type { Change, ChangePosition } from '../../repository/changes/changes.ts';

/** Numbers by bucket, joined with `-`. */
export const formatCursor = (position: ChangePosition): string => position.join('-');

/** Returns undefined for a text that is no cursor of this database, such as one behind the ends. */
export function parseCursor(text: string, ends: ChangePosition): number[] | undefined {
  if (!/^\d{1,15}(-\d{1,15})*$/.test(text)) return undefined;
  const numbers = text.split('-').map(Number);
  const isKnown = numbers.length === ends.length && numbers.every((number, i) => number <= ends[i]);
  return isKnown ? numbers : undefined;
}

/** @param position The position behind the change. */
export function cloudEventOf(change: Change, position: ChangePosition): string {
  return JSON.stringify({
    specversion: '1.0',
    id: change.changeId,
    source: `/${change.environment}`,
    type: `personalisation.${change.kind}`,
    time: change.changedAt.toISOString(),
    datacontenttype: 'application/json',
    cursor: formatCursor(position),
    data: change.data,
  });
}
