/** The configurations in this process, filled from the database once and followed from then on. */

import type { Logger } from 'pino';
import { createPeriodic } from '../periodic.ts';
import {
  type ConfigurationVersionRow,
  listVersionsAfter,
} from '../repository/configurations/configurations.ts';
import type { Database } from '../repository/database.ts';
import type { Configuration } from '../rules/types.ts';
import { inForce, type Scheduled, withVersion } from './schedule.ts';
import type { ConfigurationSettings } from './settings.ts';

export type ActiveConfiguration = { version: number; rules: Configuration; settings: ConfigurationSettings };

/** What a stored document says. */
export type ParsedConfiguration = Omit<ActiveConfiguration, 'version'> & Omit<Scheduled, 'version'>;

export type ConfigurationReplica = {
  /** The version in force now; undefined when there is none, or it was deleted. */
  find(configurationId: string): ActiveConfiguration | undefined;
  /** Takes a version that this node wrote itself. */
  apply(row: Pick<ConfigurationVersionRow, 'configurationId' | 'version' | 'document'>): void;
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

/** A version; without `parsed` it is a deletion. */
/** Read at once. */
const versionsPerPage = 500;

type Held = Scheduled & { parsed?: ParsedConfiguration };

export function createConfigurationReplica(options: ConfigurationReplicaOptions): ConfigurationReplica {
  const { db, parse, intervalMs, clock, logger } = options;
  const held = new Map<string, Held[]>();
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
    if (versions.some((other) => other.version === version) || version < (versions.at(-1)?.version ?? 0))
      return;
    const name = JSON.stringify([configurationId, version]);
    if (unreadable.has(name)) return;
    try {
      held.set(configurationId, withVersion(versions, { version, ...read(document) }, clock()));
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
      lastNumber = rows.at(-1)?.number ?? lastNumber;
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
      return (
        found?.parsed && {
          version: found.version,
          rules: found.parsed.rules,
          settings: found.parsed.settings,
        }
      );
    },
    apply,
    async start() {
      await poll();
      follower.start();
    },
    stop: () => follower.stop(),
  };
}
