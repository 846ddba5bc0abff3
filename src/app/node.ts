/** The basis of a node: settings, database, clock, logger, telemetry. */

import type { Logger } from 'pino';
import type { Deployment, EnvironmentSettings } from '../deployment/deployment.ts';
import type { Forgetting } from '../ranking/runtime/forgetting.ts';
import type { QueueLengths } from '../repository/batcher.ts';
import type { Connection, Database } from '../repository/database.ts';
import type { Telemetry } from '../servers/telemetry/telemetry.ts';

/** One process of the service. */
export type Node = {
  deployment: Deployment;
  /** Environments that this node serves, by name. It holds no data of others. */
  served: ReadonlyMap<string, EnvironmentSettings>;
  connection: Connection | string;
  db: Database;
  bucketCount: number;
  /** Milliseconds since the epoch. */
  clock: () => number;
  logger: Logger;
  telemetry: Telemetry;
  /** Lengths of the queues for the database; each batcher adds its own. */
  queues: QueueLengths;
  /** Caches of this process that hold data of subjects, for erasure. */
  forgetting: Forgetting;
};
