/** The configurations in force, filled from the database once and followed from then on. */

import type { Logger } from 'pino';
import { firstXid, type Xid } from '../repository/change-feed.ts';
import { type ConfigurationRow, listChangedConfigurations } from '../repository/configurations.ts';
import type { Database } from '../repository/database.ts';
import type { Configuration } from '../rules/types.ts';
import { createFollower } from './follower.ts';

export type ActiveConfiguration = { version: number; rules: Configuration };

export type ConfigurationReplica = {
  /** Undefined when there is none, or it was deleted. */
  find(configurationId: string): ActiveConfiguration | undefined;
  /** Takes a row that this node wrote itself. */
  apply(row: ConfigurationRow): void;
  start(): Promise<void>;
  stop(): Promise<void>;
};

export type ConfigurationReplicaOptions = {
  db: Database;
  /** Turns a stored document into rules; throws when it cannot. */
  parse: (document: unknown) => Configuration;
  intervalMs: number;
  logger: Logger;
};

export function createConfigurationReplica(options: ConfigurationReplicaOptions): ConfigurationReplica {
  const { db, parse, intervalMs, logger } = options;
  const active = new Map<string, ActiveConfiguration>();
  /** Versions of deleted ones too, so that an older row does not bring them back. */
  const versions = new Map<string, number>();
  let horizonXid: Xid = firstXid;

  const apply = (row: ConfigurationRow) => {
    if (row.version <= (versions.get(row.configurationId) ?? 0)) return;
    versions.set(row.configurationId, row.version);
    if (row.deleted) {
      active.delete(row.configurationId);
      return;
    }
    try {
      active.set(row.configurationId, { version: row.version, rules: parse(row.document) });
    } catch (error) {
      logger.error(
        { err: error, configuration_id: row.configurationId },
        'A stored configuration cannot be read.',
      );
    }
  };
  const poll = async () => {
    const changes = await listChangedConfigurations(db, horizonXid);
    for (const row of changes.rows) apply(row);
    horizonXid = changes.horizonXid;
  };
  const follower = createFollower({ name: 'configurations', poll, intervalMs, logger });

  return {
    find: (configurationId) => active.get(configurationId),
    apply,
    async start() {
      await poll();
      follower.start();
    },
    stop: () => follower.stop(),
  };
}
