/** The audience thread: holds the indexes of all environments and answers one message with one reply. */

import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { DomainError, type ErrorReason } from '../../errors.ts';
import type { EventWeights } from '../../ranking/models/event-weights.ts';
import { createPeriodic } from '../../ranking/runtime/periodic.ts';
import { type Connection, createDatabase } from '../../repository/database.ts';
import type { AudiencePage, AudienceRequest, NamedTargeting, PersonExplanation } from './audience-request.ts';
import { type AudienceEngine, createAudienceEngine } from './engine.ts';
import type { Person } from './people.ts';

export type WorkerSettings = {
  connection: Connection | string;
  environments: {
    name: string;
    integrationTypes: readonly string[];
    eventWeights: EventWeights;
    eventsDays: number | undefined;
  }[];
};

export type WorkerTask =
  /** Environments that have audiences, in place of those that were named before. */
  | { kind: 'follow'; environments: readonly string[] }
  | { kind: 'serveWith'; environment: string; buffer: SharedArrayBuffer }
  | { kind: 'create'; request: AudienceRequest }
  | { kind: 'explain'; targeting: NamedTargeting; person: Person };

export type WorkerMessage = { id: number; task: WorkerTask };
export type WorkerReply = { id: number } & (
  | { result: AudiencePage | PersonExplanation | undefined }
  | { error: WorkerFailure }
);
export type WorkerFailure = { reason: ErrorReason; message: string };

/** The events since the last answer stay few, and reading them never takes long. */
const catchUpPauseMs = 1_000;

/** A third of the weight of requests, twenty times that of training. */
const niceness = 5;

/** On Linux this is the calling thread alone: recommendations come before audiences when the machine is busy. */
if (process.platform === 'linux') setPriority(0, niceness);

const { connection, environments } = workerData as WorkerSettings;
const db = createDatabase(connection, { poolSize: 3 });
const engines = new Map<string, AudienceEngine>(
  environments.map(({ name, integrationTypes, eventWeights, eventsDays }) => [
    name,
    createAudienceEngine({
      db,
      environment: name,
      integrationTypes: new Set(integrationTypes),
      eventWeights,
      eventsDays,
      clock: () => Date.now(),
    }),
  ]),
);

/** Environments that have audiences, and those that this node was asked about: every node reads every event of them. */
let followed: readonly string[] = [];
const asked = new Set<string>();

async function perform(task: WorkerTask): Promise<AudiencePage | PersonExplanation | undefined> {
  if (task.kind === 'follow') followed = task.environments;
  else if (task.kind === 'serveWith') engines.get(task.environment)!.serveWith(task.buffer);
  else return answer(task);
  return undefined;
}

function answer(
  task: Extract<WorkerTask, { kind: 'create' | 'explain' }>,
): Promise<AudiencePage | PersonExplanation> {
  const { environment } = task.kind === 'create' ? task.request : task.targeting;
  asked.add(environment);
  const engine = engines.get(environment)!;
  return task.kind === 'create' ? engine.create(task.request) : engine.explain(task.targeting, task.person);
}

async function catchUpUsed(): Promise<void> {
  for (const [name, engine] of engines)
    if (asked.has(name) || followed.includes(name)) await engine.catchUp().catch(() => undefined);
}

/** A fault of ours says nothing to the caller; the thread that asked logs it. */
function errorOf(error: unknown): WorkerFailure {
  if (error instanceof DomainError && error.reason !== 'INTERNAL') {
    return { reason: error.reason, message: error.message };
  }
  return {
    reason: 'INTERNAL',
    message: error instanceof Error ? (error.stack ?? error.message) : String(error),
  };
}

parentPort!.on('message', async ({ id, task }: WorkerMessage) => {
  let reply: WorkerReply;
  try {
    reply = { id, result: await perform(task) };
  } catch (error) {
    reply = { id, error: errorOf(error) };
  }
  parentPort!.postMessage(reply);
});

/** What one environment cannot read now is read with its next request, which tells the failure; the others go on. */
const catchUp = createPeriodic({
  work: catchUpUsed,
  pauseMs: catchUpPauseMs,
  firstPauseMs: 0,
  complaint: 'Events cannot be read for audiences; trying again.',
  logger: { warn: () => undefined },
});
catchUp.start();
