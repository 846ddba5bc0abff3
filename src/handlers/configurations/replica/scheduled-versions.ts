/** Versions that start later, which a new version would replace. */

import { parseFullMoment } from '../../../ranking/runtime/instants.ts';
import type { ConfigurationVersionRow } from '../../../repository/configurations/configurations.ts';
import { refuse } from '../../chain/refuse.ts';
import { type Scheduled, stillNeeded } from './schedule.ts';

const mostKept = 20;

type ScheduledDocument = Record<string, unknown> & { active_from?: string; active_until?: string };

/**
 * Returns the documents of scheduled versions that a new version would replace, oldest first.
 *
 * @param former Versions before the new one, newest first. @param added Period of the new version.
 * @param start New `active_from` of the version that starts next.
 * @throws PARAMETER_INVALID for more than 20, or for a start without a scheduled version.
 */
export function scheduledDocuments(
  former: readonly ConfigurationVersionRow[],
  added: Omit<Scheduled, 'version'>,
  { nowMs, start }: { nowMs: number; start?: string },
): ScheduledDocument[] {
  const candidates = stillNeeded(former.map(withPeriod), nowMs).filter(
    ({ document, activeFromMs }) => document && activeFromMs !== undefined && activeFromMs > nowMs,
  );
  const newest = { ...added, version: Number.POSITIVE_INFINITY };
  const left = new Set<Scheduled>(stillNeeded<Scheduled>([newest, ...candidates], nowMs));
  const kept = candidates.filter((candidate) => !left.has(candidate));
  const [next] = kept.toSorted((a, b) => a.activeFromMs! - b.activeFromMs!);
  if (kept.length > mostKept) {
    const detail = `Must be false with more than ${mostKept} scheduled versions; there are ${kept.length}.`;
    refuse([{ pointer: 'query:keep_scheduled', detail }]);
  }
  if (start !== undefined && !next)
    refuse([{ pointer: 'query:scheduled_start', detail: 'Requires a scheduled version to move.' }]);
  return kept.reverse().map((one) => {
    const document = one.document as ScheduledDocument;
    return one === next && start !== undefined ? { ...document, active_from: start } : document;
  });
}

function withPeriod({ version, document }: ConfigurationVersionRow) {
  const { active_from: from, active_until: until } = (document ?? {}) as ScheduledDocument;
  const read = (text?: string) => (text === undefined ? undefined : parseFullMoment(text));
  return { version, document, activeFromMs: read(from), activeUntilMs: read(until) };
}
