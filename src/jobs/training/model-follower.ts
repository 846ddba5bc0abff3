/**
 * Follows the published models of each environment and serves them, whichever node trained them.
 *
 * Refuses an unreadable version (damaged, or of another release) and keeps the models in use. A
 * node without models takes the newest readable version before it.
 */

import type { Logger } from 'pino';
import type { Database } from '../../repository/database.ts';
import {
  findModelVersion,
  listModelVersions,
  listServedVersions,
} from '../../repository/training/model-snapshots.ts';

export type Serve = (environment: string, buffer: SharedArrayBuffer) => Promise<void>;

export type ModelFollower = {
  /** Reads published models ahead for the first `look`, which retries failed reads. */
  prefetch(): Promise<void>;
  /** Loads newly published models. */
  look(): Promise<void>;
  /** Serves a version that is in this node's memory. */
  offer(environment: string, version: number, buffer: SharedArrayBuffer): Promise<void>;
  /** Serves unpublished models until some are published. */
  offerUnpublished(environment: string, buffer: SharedArrayBuffer): Promise<void>;
  isServed(environment: string): boolean;
  /** Whether this node refused the published version. */
  isRefused(environment: string): boolean;
};

type Published = { environment: string; version: number; buffer: SharedArrayBuffer | undefined };

async function readAll(db: Database, environments: readonly string[]): Promise<Published[]> {
  const published: Published[] = [];
  for (const { environment, version } of await listServedVersions(db, environments))
    published.push({ environment, version, buffer: await findModelVersion(db, environment, version) });
  return published;
}

export type ModelFollowerOptions = {
  db: Database;
  environments: readonly string[];
  /** @throws if the models cannot be read. */
  serve: Serve;
  logger: Logger;
};

export function createModelFollower({
  db,
  environments,
  serve,
  logger,
}: ModelFollowerOptions): ModelFollower {
  const inUse = new Map<string, number>();
  const refused = new Map<string, number>();
  let before: Promise<unknown> = Promise.resolve();
  /** Serialises changes, so that an older version never replaces a newer one. */
  const inTurn = (work: () => Promise<void>): Promise<void> => {
    const turn = before.then(work);
    before = turn.catch(() => undefined);
    return turn;
  };
  const isTaken = async (environment: string, version: number, buffer?: SharedArrayBuffer) => {
    const artefact = buffer ?? (await findModelVersion(db, environment, version));
    /** Deleted between the two statements: the next `look` finds its successor. */
    if (artefact === undefined) return undefined;
    try {
      await serve(environment, artefact);
      inUse.set(environment, version);
      return true;
    } catch (error) {
      logger.error({ environment, version, err: error }, 'Published models are refused; those in use stay.');
      return false;
    }
  };
  const take = async (environment: string, version: number, buffer?: SharedArrayBuffer): Promise<void> => {
    const taken = await isTaken(environment, version, buffer);
    if (taken) refused.delete(environment);
    if (taken !== false) return;
    refused.set(environment, version);
    for (const earlier of await listModelVersions(db, environment)) {
      if (inUse.has(environment)) return;
      if (earlier < version) await isTaken(environment, earlier);
    }
  };
  /** Published models read ahead for the first `look`. */
  let prefetched: Promise<Published[]> = Promise.resolve([]);
  return {
    async prefetch() {
      prefetched = readAll(db, environments).catch(() => []);
      await prefetched;
    },
    look: () =>
      inTurn(async () => {
        const read = await prefetched;
        prefetched = Promise.resolve([]);
        for (const { environment, version } of await listServedVersions(db, environments)) {
          const isKnown = inUse.get(environment) === version || refused.get(environment) === version;
          const isRead = (one: Published) => one.environment === environment && one.version === version;
          if (!isKnown) await take(environment, version, read.find(isRead)?.buffer);
        }
      }),
    offer: (environment, version, buffer) =>
      inTurn(async () => {
        if (version > (inUse.get(environment) ?? 0)) await take(environment, version, buffer);
      }),
    offerUnpublished: (environment, buffer) =>
      inTurn(async () => {
        if (!inUse.has(environment)) await serve(environment, buffer);
      }),
    isServed: (environment) => inUse.has(environment),
    isRefused: (environment) => refused.has(environment),
  };
}
