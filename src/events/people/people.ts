/** Exports the personal data of a subject, or deletes it with a receipt. */

import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { DomainError } from '../../errors.ts';
import { formatSubject } from '../../ranking/subject.ts';
import { type Actor, insertAuditEntry } from '../../repository/audit/audit-entries.ts';
import type { Database } from '../../repository/database.ts';
import { listEventRanges } from '../../repository/events/event-ranges.ts';
import { completeDeletion, type Deletion, insertDeletion } from '../../repository/people/deletions.ts';
import { createMarker } from '../../repository/people/marks.ts';
import { findPerson, type PersonName, subjectsOf } from '../../repository/people/person.ts';
import { erasePerson, exportPerson, type PersonRecord } from '../../repository/people/personal-rows.ts';

/** Nodes buffer served calls and samples of requests for at most a second. */
const usualSettleMs = 2_000;
const usualPatienceMs = 10_000;

export type People = {
  /** Yields records in batches; nothing at all when nothing is stored. */
  export(name: PersonName, actor?: Actor): AsyncGenerator<PersonRecord[]>;
  /**
   * Deletes what was stored before the call; an unknown subject gets a receipt, too. Data that
   * arrives meanwhile may be deleted in part; data that arrives afterwards is new. Repeating a
   * deletion that failed is safe.
   */
  delete(name: PersonName, actor?: Actor): Promise<Deletion>;
};

export type PeopleOptions = {
  db: Database;
  /** Resolves when every event stored before, by any node, is aggregated. */
  catchUp(): Promise<void>;
  /** Buffers of this node that hold personal data [none]. */
  holders?: readonly { flush(): Promise<unknown> }[];
  /** Makes this node forget deleted subjects at once; other nodes follow the deletions [no effect]. */
  forgetDeleted?(): Promise<void>;
  /** Time within which every other node writes what it buffered [2 s]. */
  settleMs?: number;
  /** Longest wait for this node's buffers; after it the deletion fails and must be repeated [10 s]. */
  patienceMs?: number;
};

export function createPeople(options: PeopleOptions): People {
  const { db, catchUp, holders = [], forgetDeleted } = options;
  const { settleMs = usualSettleMs, patienceMs = usualPatienceMs } = options;
  const flush = () => endWithin(patienceMs, Promise.all(holders.map((holder) => holder.flush())));
  return {
    async *export(name, actor) {
      const { environment, kind } = name;
      const { markOf } = await createMarker(db);
      /** The export is recorded, with the subject's pseudonym, before it returns anything. */
      const resource = `${kind}s/${markOf(environment, formatSubject(name))}`;
      await insertAuditEntry(db, { ...actor, action: `${kind}s.export`, resource, environment });
      await catchUp();
      yield* exportPerson(db, name);
    },
    async delete(name, actor) {
      const settled = delay(settleMs).then(flush);
      /** Prevents an unhandled-rejection warning until it is awaited. */
      settled.catch(() => undefined);
      /** Later events are not aggregated yet and not part of this deletion. */
      const ranges = await listEventRanges(db);
      await catchUp();
      const found = await findPerson(db, name, ranges);
      const { environment, kind } = name;
      const { markOf } = await createMarker(db);
      const subjects = subjectsOf(found.person).map((subject) => markOf(environment, subject));
      const deletion = { receiptId: randomUUID(), environment, kind, subjects };
      await insertDeletion(db, deletion);
      const deleted = await erasePerson(db, found, settled);
      const completed = await completeDeletion(db, deletion, deleted, actor);
      /** The deletion is complete; if this fails, the node follows it like the others. */
      await forgetDeleted?.().catch(() => undefined);
      return completed;
    },
  };
}

/** Rejects with UNAVAILABLE when the work takes longer. */
async function endWithin(patienceMs: number, work: Promise<unknown>): Promise<void> {
  const late = new AbortController();
  const isLate = delay(patienceMs, true, { signal: late.signal, ref: false }).catch(() => false);
  try {
    if ((await Promise.race([work, isLate])) === true)
      throw new DomainError(
        'UNAVAILABLE',
        'The node could not write its buffers in time; repeat the deletion.',
      );
  } finally {
    late.abort();
  }
}
