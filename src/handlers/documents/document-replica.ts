/** Follows the documents of a kind in the database, and puts them where this process serves them. */
import type { Logger } from 'pino';
import type { Follower } from '../../ranking/runtime/follower.ts';
import { createPeriodic } from '../../ranking/runtime/periodic.ts';
import type { Database } from '../../repository/database.ts';
import { findLastLocalNumber } from '../../repository/feeds.ts';
import { type DocumentKind, listDocumentsSince } from '../../repository/kept/documents.ts';

export type DocumentReplicaOptions = {
  db: Database;
  kind: DocumentKind;
  /** Names of the served environments. */
  environments: readonly string[];
  /** Receives a document that is new or has changed, and undefined for one that is deleted. */
  put(environment: string, id: string, document: unknown): void;
  intervalMs: number;
  logger: Logger;
};

export function createDocumentReplica(options: DocumentReplicaOptions): Follower {
  const { db, kind, environments: names, put, intervalMs, logger } = options;
  const known = new Map(names.map((name) => [name, new Set<string>()]));
  let lastNumber = 0;

  const follow = async () => {
    const number = await findLastLocalNumber(db, kind.name);
    if (number === lastNumber) return;
    const present = new Map(names.map((name) => [name, new Set<string>()]));
    for (const { environment, id, document } of await listDocumentsSince(db, kind, lastNumber)) {
      if (!present.get(environment)?.add(id)) continue;
      if (document) put(environment, id, document);
    }
    for (const [name, ids] of present) {
      for (const id of known.get(name)!) if (!ids.has(id)) put(name, id, undefined);
      known.set(name, ids);
    }
    lastNumber = number;
  };
  const follower = createPeriodic({
    work: follow,
    pauseMs: intervalMs,
    complaint: 'Cannot follow the database; serving known data.',
    facts: { follower: kind.name },
    logger,
  });

  return {
    refresh: follower.run,
    async start() {
      await follow();
      follower.start();
    },
    stop: follower.stop,
  };
}
