/**
 * Serves what is published: notices the version that an environment shall be served with, whoever trained it, and takes it up.
 *
 * A version that cannot be read (damaged, of another program) is refused, and what is in use stays. A node that has nothing in
 * use yet takes the newest version before it that can be read.
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
  /** Reads what is published, for the first look, which waits for it; what cannot be read now is left to that look. */
  prefetch(): Promise<void>;
  /** Takes up what is new. */
  look(): Promise<void>;
  /** A version that this node has at hand. */
  offer(environment: string, version: number, buffer: SharedArrayBuffer): Promise<void>;
  /** Models that are not published: they serve until some are. */
  offerUnpublished(environment: string, buffer: SharedArrayBuffer): Promise<void>;
  /** Whether a published version of the environment is in use here. */
  isServed(environment: string): boolean;
  /** Whether the published version was refused here. */
  isRefused(environment: string): boolean;
};

type Published = { environment: string; version: number; buffer: SharedArrayBuffer | undefined };

export type ModelFollowerOptions = {
  db: Database;
  environments: readonly string[];
  /** @throws when the models cannot be read. */
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
  /** One after the other, so that an older version never replaces a newer one. */
  const inTurn = (work: () => Promise<void>): Promise<void> => {
    const turn = before.then(work);
    before = turn.catch(() => undefined);
    return turn;
  };
  const isTaken = async (environment: string, version: number, buffer?: SharedArrayBuffer) => {
    const artefact = buffer ?? (await findModelVersion(db, environment, version));
    /** Replaced and deleted between the two statements: the next look finds its successor. */
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
  const readAll = async (): Promise<Published[]> => {
    const published: Published[] = [];
    for (const { environment, version } of await listServedVersions(db, environments))
      published.push({ environment, version, buffer: await findModelVersion(db, environment, version) });
    return published;
  };
  /** For the first look. */
  let prefetched: Promise<Published[]> = Promise.resolve([]);
  return {
    async prefetch() {
      prefetched = readAll().catch(() => []);
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
