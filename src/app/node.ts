/** What every storey of a node is built on. */

import type { Logger } from 'pino';
import type { Deployment, EnvironmentSettings } from '../deployment/deployment.ts';
import type { Forgetting } from '../ranking/runtime/forgetting.ts';
import type { QueueLengths } from '../repository/batcher.ts';
import type { Connection, Database } from '../repository/database.ts';
import type { Telemetry } from '../servers/telemetry/telemetry.ts';

/** One process of the service, before it knows or does anything. */
export type Node = {
  deployment: Deployment;
  /** Environments that this node answers for, by name; it holds nothing of the others. */
  served: ReadonlyMap<string, EnvironmentSettings>;
  connection: Connection | string;
  db: Database;
  /** How many buckets the database has. */
  bucketCount: number;
  /** Milliseconds since the epoch. */
  clock: () => number;
  logger: Logger;
  telemetry: Telemetry;
  /** Of the batches that wait for the database; each batcher adds its own. */
  queues: QueueLengths;
  /** How what this process remembers of people is forgotten. */
  forgetting: Forgetting;
};
