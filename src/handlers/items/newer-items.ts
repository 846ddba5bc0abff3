/** Stores items only if they are newer at their source than the stored ones. */

import { pointerStep, type Violation } from '../../errors.ts';
import type { Database } from '../../repository/database.ts';
import { findItemsByKey, replaceItems } from '../../repository/items/expected-items.ts';
import { type ItemRow, type ItemWrite, keyText } from '../../repository/items/items.ts';

export type Refused = { line: bigint; violations: Violation[] };

export const overtaken = 'Was changed concurrently; send it again.';

type Write = ItemWrite & { line: bigint };
type NewerOptions = { newerBy: string; isTrial: boolean };

/** A batch stores the newest of equal items. */
export async function writeNewer(
  db: Database,
  writes: readonly Write[],
  { newerBy, isTrial }: NewerOptions,
): Promise<{ rows: ItemRow[]; acceptedCount: number; olderCount: number; refused: Refused[] }> {
  const refused: Refused[] = [];
  const refuse = ({ line }: Write, pointer: string, detail: string) =>
    refused.push({ line, violations: [{ pointer, detail }] });
  const newest = new Map<string, { write: Write; timeMs: number }>();
  for (const write of writes) {
    const timeMs = timeOf(write.document, newerBy);
    if (timeMs === undefined)
      refuse(write, pointerStep(newerBy), 'Must be a time, such as 2026-11-01T10:00:00Z.');
    else if (timeMs > (newest.get(keyText(write))?.timeMs ?? Number.NEGATIVE_INFINITY))
      newest.set(keyText(write), { write, timeMs });
  }
  const wanted = [...newest.values()];
  const stored = await findItemsByKey(
    db,
    wanted.map(({ write }) => write),
  );
  const newer = wanted.flatMap(({ write, timeMs }, i) => {
    const isNewer = timeMs > (timeOf(stored[i]?.document, newerBy) ?? Number.NEGATIVE_INFINITY);
    return isNewer ? [{ ...write, expectedRevision: stored[i]?.revision ?? 0 }] : [];
  });
  const rows = isTrial ? [] : await replaceItems(db, newer);
  for (const [i, row] of rows.entries()) if (!row) refuse(newer[i], '/item_id', overtaken);
  const written = rows.filter((row) => row !== undefined);
  const acceptedCount = isTrial ? newer.length : written.length;
  return {
    rows: written,
    acceptedCount,
    olderCount: writes.length - acceptedCount - refused.length,
    refused,
  };
}

type Document = { item_attributes?: Record<string, unknown> | { name: string; value: unknown }[] };

/** Returns the time of a property or attribute, in milliseconds or as its number. */
function timeOf(document: unknown, name: string): number | undefined {
  const { item_attributes: attributes = {}, ...item } = (document ?? {}) as Document &
    Record<string, unknown>;
  const attribute = Array.isArray(attributes)
    ? attributes.find((one) => one.name === name)?.value
    : attributes[name];
  const value = item[name] ?? attribute;
  const time = typeof value === 'string' ? Date.parse(value) : value;
  return typeof time === 'number' && Number.isFinite(time) ? time : undefined;
}
