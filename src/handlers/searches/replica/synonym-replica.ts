/** Follows the synonyms in the database, and puts them into the indexes of this process. */
import type { Logger } from 'pino';
import type { ServingEnvironment } from '../../../ranking/environment/serving-environment.ts';
import { createPeriodic } from '../../../ranking/runtime/periodic.ts';
import type { Synonym } from '../../../ranking/search/search.ts';
import type { Database } from '../../../repository/database.ts';
import { findLastLocalNumber } from '../../../repository/feeds.ts';
import { listSynonymsSince } from '../../../repository/search/synonyms.ts';

export type SynonymReplica = {
  /** Applies all changes written until now. */
  refresh(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
};

export type SynonymReplicaOptions = {
  db: Database;
  environments: ReadonlyMap<string, ServingEnvironment>;
  intervalMs: number;
  logger: Logger;
};

export function createSynonymReplica(options: SynonymReplicaOptions): SynonymReplica {
  const { db, environments, intervalMs, logger } = options;
  const known = new Map(Array.from(environments.keys(), (name) => [name, new Set<string>()]));
  let lastNumber = 0;

  const follow = async () => {
    const number = await findLastLocalNumber(db, 'synonyms');
    if (number === lastNumber) return;
    const present = new Map(Array.from(environments.keys(), (name) => [name, new Set<string>()]));
    for (const { environment, synonymId, document } of await listSynonymsSince(db, lastNumber)) {
      present.get(environment)?.add(synonymId);
      if (document) environments.get(environment)?.searchIndex.synonyms.put(synonymId, document as Synonym);
    }
    for (const [name, ids] of present) {
      for (const id of known.get(name)!)
        if (!ids.has(id)) environments.get(name)!.searchIndex.synonyms.put(id, undefined);
      known.set(name, ids);
    }
    lastNumber = number;
  };
  const follower = createPeriodic({
    work: follow,
    pauseMs: intervalMs,
    complaint: 'Cannot follow the database; serving known data.',
    facts: { follower: 'synonyms' },
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
