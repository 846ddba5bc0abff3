/** The training thread: trains one environment at a time, on request, over a connection of its own. */

import { constants, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { type Connection, createDatabase } from '../repository/database.ts';
import { saveModelSnapshot } from '../repository/model-snapshots.ts';
import { type TrainedArtefact, type TrainingOptions, trainEnvironment } from './train-environment.ts';

export type TrainingRequest = TrainingOptions & {
  /** Save the artefact for the next start. */
  save: boolean;
};
export type TrainingReply = { artefact: TrainedArtefact } | { error: string };

/** On Linux this is the calling thread alone: requests come before training when the machine is busy. */
if (process.platform === 'linux') setPriority(0, constants.priority.PRIORITY_LOW);

const db = createDatabase((workerData as { connection: Connection | string }).connection, { poolSize: 1 });

parentPort!.on('message', async ({ save, ...options }: TrainingRequest) => {
  let reply: TrainingReply;
  try {
    const artefact = await trainEnvironment(db, options);
    if (save) await saveModelSnapshot(db, options.environment, artefact.buffer);
    reply = { artefact };
  } catch (error) {
    reply = { error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
  parentPort!.postMessage(reply);
});
