/**
 * Replica of the configurations: filled from the database at the start, then following its feed.
 */

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

/** Contents of a stored document. */
export type ParsedConfiguration = Omit<ActiveConfiguration, 'version'> & Omit<Scheduled, 'version'>;

export type ConfigurationReplica = ActiveConfigurations & {
  /** Applies a version that this node wrote. */
  apply(row: Pick<ConfigurationVersionRow, 'configurationId' | 'version' | 'document'>): void;
  /** Reads all writes of all nodes until now. Rejects if the database fails. */
  refresh(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
};

export type ConfigurationReplicaOptions = {
  db: Database;
  /** @throws if the document cannot be parsed */
  parse: (document: unknown) => ParsedConfiguration;
  intervalMs: number;
  clock: () => number;
  logger: Logger;
};

const versionsPerPage = 500;

/**
 * A clock may be ahead, for example after a machine starts, so ended versions are retained for this
 * time.
 */
const mostAheadMs = 24 * 3_600_000;

/** A version; without `parsed` it is a deletion. */
type Held = Scheduled & { parsed?: ParsedConfiguration };

export function createConfigurationReplica(options: ConfigurationReplicaOptions): ConfigurationReplica {
  const { db, parse, intervalMs, clock, logger } = options;
  const held = new Map<string, Held[]>();
  const searching = createSearching(held, clock);
  let lastNumber = 0;
  /** Versions that were reported as unreadable. */
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
      /** Versions of other nodes may arrive after later ones of this node. */
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
      /** Concurrent calls may overlap. */
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

/** Configurations of searches, collected only when a version is added, begins or ends. */
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
