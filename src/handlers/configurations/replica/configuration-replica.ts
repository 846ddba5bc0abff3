/** The configurations in this process, filled at the start and then followed. */

import type { Logger } from 'pino';
import {
  type ActiveConfiguration,
  type ActiveConfigurations,
  activeOf,
  type SearchConfiguration,
} from '../../../ranking/rules/active-configuration.ts';
import { createFeedReader, createFollower, type Follower } from '../../../ranking/runtime/follower.ts';
import {
  type ConfigurationVersionRow,
  listVersionsAfter,
  type NumberedVersion,
} from '../../../repository/configurations/configurations.ts';
import type { Database } from '../../../repository/database.ts';
import type { ConfigurationContent } from './content.ts';
import { inForce, nextBoundary, type Scheduled, stillNeeded, withVersion } from './schedule.ts';

export type ParsedConfiguration = Omit<ActiveConfiguration, 'version'> &
  Omit<Scheduled, 'version'> & { content: ConfigurationContent };

export type ConfigurationReplica = ActiveConfigurations &
  Follower & {
    /** Lists versions that are live or will be, newest first. */
    periods(configurationId: string): ConfigurationPeriod[];
    ids(): Iterable<string>;
    /** Returns the content of the newest readable version, also of a deleted configuration. */
    content(configurationId: string): ConfigurationContent | undefined;
    /** Returns the environments of each version that is live or will be, and of the newest one. */
    reaches(configurationId: string): (readonly string[])[];
    /** Applies a version that this node has written, without waiting for the follower. */
    apply(row: Pick<ConfigurationVersionRow, 'configurationId' | 'version' | 'document'>): void;
  };

export type ConfigurationPeriod = Scheduled & { live: boolean };

type ConfigurationReplicaOptions = {
  db: Database;
  /** Throws when the document cannot be read. */
  parse: (document: unknown) => ParsedConfiguration;
  intervalMs: number;
  clock: () => number;
  logger: Logger;
};

const versionsPerPage = 500;

/** Versions are kept this long after their end, because a clock can be ahead. */
const clockErrorMs = 24 * 3_600_000;

/** A version; without `parsed` it is a deletion. */
type ReplicaVersion = Scheduled & { parsed?: ParsedConfiguration };

export function createConfigurationReplica(options: ConfigurationReplicaOptions): ConfigurationReplica {
  const { db, parse, intervalMs, clock, logger } = options;
  const versionsById = new Map<string, ReplicaVersion[]>();
  const newestById = new Map<string, { version: number; content?: ConfigurationContent }>();
  const searching = createSearching(versionsById, clock);
  /** Unreadable versions, which are logged once. */
  const unreadable = new Set<string>();

  const read = (document: unknown): Omit<ReplicaVersion, 'version'> => {
    if (document === undefined) return {};
    const parsed = parse(document);
    return { parsed, activeFromMs: parsed.activeFromMs, activeUntilMs: parsed.activeUntilMs };
  };
  const apply: ConfigurationReplica['apply'] = ({ configurationId, version, document }) => {
    const versions = versionsById.get(configurationId) ?? [];
    if (versions.some((other) => other.version === version)) return;
    const name = JSON.stringify([configurationId, version]);
    if (unreadable.has(name)) return;
    try {
      const added = { version, ...read(document) };
      if (version > (newestById.get(configurationId)?.version ?? 0))
        newestById.set(configurationId, {
          version,
          content: added.parsed?.content ?? newestById.get(configurationId)?.content,
        });
      const left = withVersion(versions, added, clock() - clockErrorMs);
      /** A newer version of this node may hide one that the follower brings later. */
      if (!left.includes(added)) return;
      versionsById.set(configurationId, left);
      searching.changed(configurationId);
    } catch (error) {
      unreadable.add(name);
      logger.error(
        { err: error, configuration_id: configurationId, version },
        'A stored configuration cannot be read.',
      );
    }
  };
  const catchUp = createFeedReader<NumberedVersion>({
    read: (after, limit) => listVersionsAfter(db, after, limit),
    apply,
    limit: versionsPerPage,
  });

  return {
    find(configurationId, environment) {
      const versions = versionsById.get(configurationId);
      const found = versions && inForce(versions, clock());
      const environments = found?.parsed?.content.environments ?? [];
      if (environments.length > 0 && !environments.includes(environment)) return undefined;
      return found?.parsed && activeOf(found.version, found.parsed);
    },
    periods: (configurationId) => periodsOf(versionsById.get(configurationId) ?? [], clock()),
    ids: () => versionsById.keys(),
    content: (configurationId) => newestById.get(configurationId)?.content,
    reaches(configurationId) {
      const needed = stillNeeded(versionsById.get(configurationId) ?? [], clock());
      const contents = [
        newestById.get(configurationId)?.content,
        ...needed.map(({ parsed }) => parsed?.content),
      ];
      return contents.flatMap((content) => (content ? [content.environments] : []));
    },
    searching: searching.list,
    apply,
    ...createFollower({ name: 'configurations', catchUp, intervalMs, logger }),
  };
}

function periodsOf(versions: readonly ReplicaVersion[], nowMs: number): ConfigurationPeriod[] {
  const live = inForce(versions, nowMs);
  return stillNeeded(versions, nowMs)
    .filter(({ parsed }) => parsed)
    .map(({ version, activeFromMs, activeUntilMs }) => ({
      version,
      live: version === live?.version,
      activeFromMs,
      activeUntilMs,
    }));
}

/** Lists the configurations of searches; changes when a version begins or ends. */
function createSearching(versionsById: ReadonlyMap<string, readonly ReplicaVersion[]>, clock: () => number) {
  const ids = new Set<string>();
  let list: SearchConfiguration[] = [];
  let fromMs = 0;
  let untilMs = Number.POSITIVE_INFINITY;

  const gather = (nowMs: number): void => {
    list = Array.from(ids).flatMap((configurationId): SearchConfiguration[] => {
      const found = inForce(versionsById.get(configurationId)!, nowMs);
      const active = found?.parsed && activeOf(found.version, found.parsed);
      return active?.search ? [{ ...active, configurationId, search: active.search }] : [];
    });
    fromMs = nowMs;
    untilMs = Math.min(...Array.from(ids, (id) => nextBoundary(versionsById.get(id)!, nowMs)));
  };
  return {
    changed(configurationId: string): void {
      const wasSearching = ids.delete(configurationId);
      const isSearching = versionsById.get(configurationId)!.some(({ parsed }) => parsed?.search);
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
