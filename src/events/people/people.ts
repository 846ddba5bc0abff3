/** What is stored about a person: given out, or deleted with a receipt. */

import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { DomainError } from '../../errors.ts';
import { type Actor, insertAuditEntry } from '../../repository/audit/audit-entries.ts';
import type { Database } from '../../repository/database.ts';
import { listEventRanges } from '../../repository/events/event-ranges.ts';
import { completeDeletion, type Deletion, insertDeletion } from '../../repository/people/deletions.ts';
import { erasePerson } from '../../repository/people/erase-person.ts';
import { exportPerson, type PersonRecord } from '../../repository/people/export-person.ts';
import { findPerson } from '../../repository/people/find-person.ts';
import { createMarker } from '../../repository/people/marks.ts';
import { type PersonName, subjectsOf } from '../../repository/people/person.ts';

/** Nodes hold what they served, and samples of requests, for a second at most before they write it. */
const usualSettleMs = 2_000;
const usualPatienceMs = 10_000;

export type People = {
  /** In batches; nothing at all when nothing is stored. */
  export(name: PersonName, actor?: Actor): AsyncGenerator<PersonRecord[]>;
  /**
   * Deletes what was stored before the call; a receipt is given for nobody too. What arrives meanwhile may be deleted in
   * part; what arrives afterwards is new. Repeating one that failed is safe.
   */
  delete(name: PersonName, actor?: Actor): Promise<Deletion>;
};

export type PeopleOptions = {
  db: Database;
  /** Resolves when every event stored before, by any node, is in histories and counts. */
  catchUp(): Promise<void>;
  /** What this node holds of people and writes later [nothing is held]. */
  holders?: readonly { flush(): Promise<unknown> }[];
  /** Has this node forget who was deleted; others hear of it by themselves [nobody]. */
  forgetDeleted?(): Promise<void>;
  /** Until every other node has written what it holds [2 s]. */
  settleMs?: number;
  /** Longest wait for this node to write what it holds, before the deletion fails and is to be repeated [10 s]. */
  patienceMs?: number;
};

export function createPeople(options: PeopleOptions): People {
  const { db, catchUp, holders = [], forgetDeleted } = options;
  const { settleMs = usualSettleMs, patienceMs = usualPatienceMs } = options;
  const flush = () => endWithin(patienceMs, Promise.all(holders.map((holder) => holder.flush())));
  return {
    async *export(name, actor) {
      const { environment, kind, id } = name;
      const { markOf } = await createMarker(db);
      /** Whoever looks is recorded before they see anything; whom they look at by a mark. */
      const resource = `${kind}s/${markOf(environment, `${kind[0]}:${id}`)}`;
      await insertAuditEntry(db, { ...actor, action: `${kind}s.export`, resource, environment });
      await catchUp();
      yield* exportPerson(db, name);
    },
    async delete(name, actor) {
      const settled = delay(settleMs).then(flush);
      /** Heard of where it is waited for. */
      settled.catch(() => undefined);
      /** What is stored later is not folded yet, and none of this deletion's. */
      const ranges = await listEventRanges(db);
      await catchUp();
      const found = await findPerson(db, name, ranges);
      const { environment, kind } = name;
      const { markOf } = await createMarker(db);
      const subjects = subjectsOf(found.person).map((subject) => markOf(environment, subject));
      const receiptId = randomUUID();
      const deletion = { receiptId, environment, kind, subjects };
      await insertDeletion(db, deletion);
      const deleted = await erasePerson(db, found, settled);
      const completed = await completeDeletion(db, deletion, deleted, actor);
      /** It is done; should the database not tell, this node hears of it as the others do. */
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
        'The node could not write what it holds in time; repeat the deletion.',
      );
  } finally {
    late.abort();
  }
}
