/**
 * Keeps the models up to date: trains an environment again when its items or events have changed, in a thread of its own.
 *
 * After a training that took t the next one of any environment waits at least `restFactor` · t, so that training takes a
 * bounded share of the machine however large the data.
 */

import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { Logger } from 'pino';
import type { Connection } from '../repository/database.ts';
import type { TrainedArtefact } from './train-environment.ts';
import type { TrainingReply, TrainingRequest } from './worker.ts';

const restFactor = 10;
const shortestRestMs = 2_000;

/** Models are saved so often at most: writing them costs as much disk as they take memory. */
const savePauseMs = 10 * 60_000;

export type TrainerOptions = {
  connection: Connection | string;
  environments: readonly string[];
  /** Changes whenever the environment's items or events do; any node's. */
  readState(environment: string): Promise<string>;
  publish(environment: string, artefact: Pick<TrainedArtefact, 'buffer'>): Promise<void>;
  /** The artefact saved last, by any node; undefined when there is none. */
  findSaved(environment: string): Promise<SharedArrayBuffer | undefined>;
  clock: () => number;
  logger: Logger;
};

export type Trainer = {
  /**
   * Takes up the saved models and quickly trains environments that have none; then goes on in the background, learning how to
   * blend them.
   */
  start(): Promise<void>;
  stop(): Promise<void>;
};

export function createTrainer(options: TrainerOptions): Trainer {
  const { connection, environments, readState, publish, findSaved, clock, logger } = options;
  const savedAtMs = new Map<string, number>();
  const trainedStates = new Map<string, string>();
  const stopping = new AbortController();
  let worker: Worker | undefined;
  let background: Promise<void> = Promise.resolve();

  const trainIfChanged = async (environment: string, learns: boolean): Promise<void> => {
    const state = await readState(environment);
    if (state === trainedStates.get(environment)) return;
    worker ??= startWorker(connection, () => {
      worker = undefined;
    });
    const nowMs = clock();
    const save = learns && nowMs - (savedAtMs.get(environment) ?? 0) >= savePauseMs;
    const artefact = await askWorker(worker, { environment, nowMs, learns, save });
    if (save) savedAtMs.set(environment, nowMs);
    await publish(environment, artefact);
    if (learns) trainedStates.set(environment, state);
    const { itemCount, eventCount } = artefact;
    logger.debug({ environment, items: itemCount, events: eventCount }, 'Models are trained.');
  };
  /** False when there are none, or none that this program can read: they are then trained anew. */
  const restore = async (environment: string): Promise<boolean> => {
    try {
      const buffer = await findSaved(environment);
      if (buffer) await publish(environment, { buffer });
      return buffer !== undefined;
    } catch (error) {
      logger.warn({ environment, err: error }, 'The saved models cannot be used; training new ones.');
      return false;
    }
  };
  /** Milliseconds that training took; a failure is logged and tried again at the next turn. */
  const trainAll = async (wanted: readonly string[], learns: boolean): Promise<number> => {
    const startedAt = performance.now();
    for (const environment of wanted) {
      if (stopping.signal.aborted) break;
      try {
        await trainIfChanged(environment, learns);
      } catch (error) {
        if (!stopping.signal.aborted)
          logger.error({ environment, err: error }, 'Training failed; the models before stay in use.');
      }
    }
    return performance.now() - startedAt;
  };
  const trainForever = async (): Promise<void> => {
    let restMs = shortestRestMs;
    while (!stopping.signal.aborted) {
      await delay(Math.max(shortestRestMs, restMs), undefined, { signal: stopping.signal }).catch(
        () => undefined,
      );
      if (!stopping.signal.aborted) restMs = (await trainAll(environments, true)) * restFactor;
    }
  };

  return {
    async start() {
      const untrained: string[] = [];
      for (const environment of environments) if (!(await restore(environment))) untrained.push(environment);
      await trainAll(untrained, false);
      background = trainForever();
    },
    async stop() {
      stopping.abort();
      await worker?.terminate();
      await background;
    },
  };
}

function startWorker(connection: Connection | string, onExit: () => void): Worker {
  const worker = new Worker(new URL('./worker.ts', import.meta.url), { workerData: { connection } });
  worker.on('exit', onExit);
  /** An error is seen by whoever waits for the reply; nobody may wait. */
  worker.on('error', () => undefined);
  worker.unref();
  return worker;
}

/** One request at a time, so the next message is its reply. */
async function askWorker(worker: Worker, request: TrainingRequest): Promise<TrainedArtefact> {
  const ended = new AbortController();
  const exit = once(worker, 'exit', { signal: ended.signal }).then(() => {
    throw new Error('The training thread ended.');
  });
  exit.catch(() => undefined);
  try {
    worker.postMessage(request);
    const [reply] = (await Promise.race([once(worker, 'message', { signal: ended.signal }), exit])) as [
      TrainingReply,
    ];
    if ('error' in reply) throw new Error(reply.error);
    return reply.artefact;
  } finally {
    ended.abort();
  }
}
