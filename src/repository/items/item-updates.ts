/**
 * Read-modify-write of items with optimistic concurrency: an update that meets a newer revision is
 * repeated.
 *
 * No lock is held between the two statements; of concurrent writers one always succeeds. Updates of
 * one item that arrive together are applied in order and written once.
 */

import type { Database } from '../database.ts';
import { findItemsByKey, replaceItems } from './expected-items.ts';
import { type ItemKey, type ItemRow, keyText } from './items.ts';

type ItemContent = { document: unknown; enabled: boolean };

export type ItemUpdate<Refused> = ItemKey & {
  /** Revision that must be current [any]; -1: any. */
  expectedRevision?: number;
  /** Returns the new content, or why the update is refused. Called again when another writer came first. */
  change(content: ItemContent): ItemContent | { refused: Refused };
};

export type ItemUpdated<Refused> =
  | { outcome: 'updated'; row: ItemRow }
  | { outcome: 'unknown' }
  | { outcome: 'refused'; refused: Refused }
  /** The current revision is not the expected one. */
  | { outcome: 'conflict'; currentRevision: number }
  /** Another writer came first in every round. */
  | { outcome: 'overtaken' };

const mostRounds = 30;

type Pending<Refused> = { place: number; update: ItemUpdate<Refused> };

/** Returns outcomes in the order of the updates. */
export async function updateItems<Refused>(
  db: Database,
  updates: readonly ItemUpdate<Refused>[],
): Promise<ItemUpdated<Refused>[]> {
  const answers = new Array<ItemUpdated<Refused>>(updates.length);
  let pending = updates.map((update, place): Pending<Refused> => ({ place, update }));
  let round = 0;
  while (pending.length > 0 && round < mostRounds) {
    const { together, later } = groupByItem(pending);
    const overtaken = await updateOnce(db, together, answers);
    if (overtaken.length > 0) round += 1;
    pending = [...overtaken, ...later].toSorted((a, b) => a.place - b.place);
  }
  for (const { place } of pending) answers[place] = { outcome: 'overtaken' };
  return answers;
}

/** Groups updates that can be written at once, by item; an update that expects a revision is alone. */
function groupByItem<Refused>(pending: readonly Pending<Refused>[]) {
  const groups = new Map<string, Pending<Refused>[]>();
  const later: Pending<Refused>[] = [];
  for (const one of pending) {
    const key = keyText(one.update);
    const group = groups.get(key);
    if (!group) groups.set(key, [one]);
    else if (expects(one) || expects(group[0])) later.push(one);
    else group.push(one);
  }
  return { together: [...groups.values()], later };
}

/** Enters outcomes into `answers` and returns the updates to repeat. */
async function updateOnce<Refused>(
  db: Database,
  groups: readonly Pending<Refused>[][],
  answers: ItemUpdated<Refused>[],
): Promise<Pending<Refused>[]> {
  const rows = await findItemsByKey(
    db,
    groups.map(([{ update }]) => update),
  );
  const attempts = groups.flatMap((group, i) => attempt(group, rows[i], answers));
  const written = await replaceItems(
    db,
    attempts.map(({ write }) => write),
  );
  return attempts.flatMap(({ changes }, i) => {
    const row = written[i];
    if (!row) return changes;
    for (const { place } of changes) answers[place] = { outcome: 'updated', row };
    return [];
  });
}

/** Applies a group's updates; returns the write, if any, and enters the outcome of the others. */
function attempt<Refused>(
  group: readonly Pending<Refused>[],
  row: ItemRow | undefined,
  answers: ItemUpdated<Refused>[],
) {
  const changes: Pending<Refused>[] = [];
  let content: ItemContent | undefined = row;
  for (const one of group) {
    const { place, update } = one;
    if (!row) answers[place] = { outcome: 'unknown' };
    else if (expects(one) && update.expectedRevision !== row.revision)
      answers[place] = { outcome: 'conflict', currentRevision: row.revision };
    else {
      const changed = update.change(content!);
      if ('refused' in changed) answers[place] = { outcome: 'refused', refused: changed.refused };
      else {
        content = changed;
        changes.push(one);
      }
    }
  }
  if (!row || changes.length === 0) return [];
  const { environment, itemType, itemId, revision: expectedRevision } = row;
  const { document, enabled } = content!;
  return [{ changes, write: { environment, itemType, itemId, document, enabled, expectedRevision } }];
}

function expects<Refused>({ update: { expectedRevision = -1 } }: Pending<Refused>): boolean {
  return expectedRevision >= 0;
}
