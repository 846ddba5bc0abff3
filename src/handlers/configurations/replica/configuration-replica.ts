/** The configurations in this process, filled from the database once and followed from then on. */

import type { Logger } from 'pino';
import type {
  ActiveConfiguration,
  ActiveConfigurations,
  SearchConfiguration,
} from '../../../ranking/rules/active-configuration.ts';
import { createPeriodic } from '../../../ranking/runtime/periodic.ts';
import {
  type ConfigurationVersionRow,
  listVersionsAfter,
} from '../../../repository/configurations/configurations.ts';
import type { Database } from '../../../repository/database.ts';
import { inForce, nextBoundary, type Scheduled, withVersion } from './schedule.ts';

/** What a stored document says. */
export type ParsedConfiguration = Omit<ActiveConfiguration, 'version'> & Omit<Scheduled, 'version'>;

export type ConfigurationReplica = ActiveConfigurations & {
  /** Takes a version that this node wrote itself. */
  apply(row: Pick<ConfigurationVersionRow, 'configurationId' | 'version' | 'document'>): void;
  /** Whatever was written until now, by any node, is known here then; rejects when the database does not tell. */
  refresh(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
};

export type ConfigurationReplicaOptions = {
  db: Database;
  /** Throws when the document cannot be read. */
  parse: (document: unknown) => ParsedConfiguration;
  intervalMs: number;
  /** Milliseconds since the epoch. */
  clock: () => number;
  logger: Logger;
};

/** Read at once. */
const versionsPerPage = 500;

/** A clock may turn out to be ahead, as in the first seconds of a machine; what is over by it is kept for so long. */
const mostAheadMs = 24 * 3_600_000;

/** A version; without `parsed` it is a deletion. */
type Held = Scheduled & { parsed?: ParsedConfiguration };

export function createConfigurationReplica(options: ConfigurationReplicaOptions): ConfigurationReplica {
  const { db, parse, intervalMs, clock, logger } = options;
  const held = new Map<string, Held[]>();
  const searching = createSearching(held, clock);
  let lastNumber = 0;
  /** Told once. */
  const unreadable = new Set<string>();

  const read = (document: unknown): Omit<Held, 'version'> => {
    if (document === undefined) return {};
    const parsed = parse(document);
    return { parsed, activeFromMs: parsed.activeFromMs, activeUntilMs: parsed.activeUntilMs };
  };
  const apply: ConfigurationReplica['apply'] = ({ configurationId, version, document }) => {
    const versions = held.get(configurationId) ?? [];
    if (versions.some((other) => other.version === version)) return;
    const name = JSON.stringify([configurationId, version]);
    if (unreadable.has(name)) return;
    try {
      const added = { version, ...read(document) };
      const left = withVersion(versions, added, clock() - mostAheadMs);
      /** Those of other nodes may come after later ones of this node, and be in force before these. */
      if (!left.includes(added)) return;
      held.set(configurationId, left);
      searching.changed(configurationId);
    } catch (error) {
      unreadable.add(name);
      logger.error(
        { err: error, configuration_id: configurationId, version },
        'A stored configuration cannot be read.',
      );
    }
  };
  const poll = async () => {
    for (let count = versionsPerPage; count === versionsPerPage; ) {
      const rows = await listVersionsAfter(db, lastNumber, versionsPerPage);
      for (const row of rows) apply(row);
      /** Several may look at once. */
      lastNumber = Math.max(lastNumber, rows.at(-1)?.number ?? 0);
      count = rows.length;
    }
  };
  const follower = createPeriodic({
    work: poll,
    pauseMs: intervalMs,
    complaint: 'Cannot follow the database; serving what is known.',
    facts: { follower: 'configurations' },
    logger,
  });

  return {
    find(configurationId) {
      const versions = held.get(configurationId);
      const found = versions && inForce(versions, clock());
      return found?.parsed && activeOf(found.version, found.parsed);
    },
    searching: searching.list,
    apply,
    refresh: poll,
    async start() {
      await poll();
      follower.start();
    },
    stop: () => follower.stop(),
  };
}

function activeOf(version: number, { rules, settings, search }: ParsedConfiguration): ActiveConfiguration {
  return { version, rules, settings, search };
}

/** What steers searches, put together anew only when a version comes, begins or ends. */
function createSearching(held: ReadonlyMap<string, readonly Held[]>, clock: () => number) {
  const ids = new Set<string>();
  let list: SearchConfiguration[] = [];
  let fromMs = 0;
  let untilMs = Number.POSITIVE_INFINITY;

  const gather = (nowMs: number): void => {
    list = Array.from(ids).flatMap((configurationId): SearchConfiguration[] => {
      const found = inForce(held.get(configurationId)!, nowMs);
      const active = found?.parsed && activeOf(found.version, found.parsed);
      return active?.search ? [{ ...active, configurationId, search: active.search }] : [];
    });
    fromMs = nowMs;
    untilMs = Math.min(...Array.from(ids, (id) => nextBoundary(held.get(id)!, nowMs)));
  };
  return {
    changed(configurationId: string): void {
      const wasSearching = ids.delete(configurationId);
      const isSearching = held.get(configurationId)!.some(({ parsed }) => parsed?.search);
      if (isSearching) ids.add(configurationId);
      if (wasSearching || isSearching) gather(clock());
    },
    list(): readonly SearchConfiguration[] {
      if (ids.size === 0) return list;
      const nowMs = clock();
      if (nowMs < fromMs || nowMs >= untilMs) gather(nowMs);
      return list;
    },
  };
}
