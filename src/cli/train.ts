/** `personalisation train` and `models list|rollback`: trainings and versions of an environment's models. */

import { setTimeout as delay } from 'node:timers/promises';
import { timestampDate } from '@bufbuild/protobuf/wkt';
import type { Command } from 'commander';
import { type Training, TrainingReason, TrainingState } from '../../gen/es/personalisation/v1/training_pb.js';
import { TrainingService } from '../../gen/es/personalisation/v1/training_service_pb.js';
import { parseWhole } from './arguments.ts';
import { interruptibleAction, serviceAction } from './connection/actions.ts';
import type { Connection } from './connection/connect.ts';
import { type EnvironmentOptions, withConnection } from './connection/options.ts';
import { type ExitCode, exitCodes } from './connection/outcome.ts';
import { joinParts, print } from './output.ts';
import { createProgress } from './progress.ts';

type Options = EnvironmentOptions;
type TrainOptions = Options & { wait?: boolean };
type ListOptions = Options & { limit: number };

const pollingMs = 500;

export function registerTrain(program: Command): void {
  withConnection(program.command('train'))
    .description("train an environment's models now; the service also trains on its own")
    .requiredOption('--environment <name>', 'environment to train')
    .option('--wait', 'show the progress, and end with the decision')
    .action(interruptibleAction(train));
}

export function registerModels(program: Command): void {
  const models = program.command('models').description('trainings and versions of the models');
  withConnection(models.command('list'))
    .description('list the trainings of an environment, newest first')
    .requiredOption('--environment <name>', 'environment')
    .option('--limit <count>', 'number of trainings, at most 200', parseWhole(1, 200), 20)
    .action(serviceAction(listTrainings));
  withConnection(models.command('rollback'))
    .description('serve the models before the current ones, or of a version, until a training is requested')
    .requiredOption('--environment <name>', 'environment')
    .option('--to <version>', 'kept version to serve [the one before]', parseWhole(1, 2_147_483_647))
    .action(
      serviceAction(async (connection, { environment, to: wanted }: Options & { to?: number }) => {
        const request = { environment, version: wanted };
        const { version } = await connection.client(TrainingService).rollBackModels(request);
        print(`${environment}: version ${version} is served until a training is requested`);
      }),
    );
}

async function train(
  connection: Connection,
  signal: AbortSignal,
  { environment, wait }: TrainOptions,
): Promise<ExitCode> {
  const service = connection.client(TrainingService);
  let training = (await service.trainModels({ environment })).training!;
  if (!wait) return print(describe(training));
  const { trainingId } = training;
  /** Without a terminal, each stage is a line. */
  const progress = createProgress({ total: 1, lineEveryMs: 0 });
  try {
    while (!training.endTime) {
      progress.update(training.progress, stageOf(training));
      await delay(pollingMs, undefined, { signal });
      training = (await service.getTraining({ environment, trainingId })).training!;
    }
    progress.update(training.progress, stageOf(training));
  } finally {
    progress.stop();
  }
  print(describe(training));
  return training.state === TrainingState.FAILED ? exitCodes.failure : exitCodes.success;
}

const stateOf = ({ state }: Training): string => TrainingState[state].toLowerCase();

const stageOf = (training: Training): string =>
  (training.state === TrainingState.RUNNING && training.stage) || stateOf(training);

async function listTrainings(connection: Connection, { environment, limit }: ListOptions): Promise<void> {
  const service = connection.client(TrainingService);
  const { servedVersion, held, trainings } = await service.listTrainings({ environment, pageSize: limit });
  const served = servedVersion > 0 ? `version ${servedVersion} is served` : 'no version yet';
  print(`${environment}: ${served}${held ? ', held until a training is requested' : ''}`);
  for (const training of trainings) print(describe(training));
}

/** Returns one line: time, state, reason and decision. */
export function describe(training: Training): string {
  const { requestTime, decision, version, progress, itemCount, eventCount } = training;
  const isRunning = training.state === TrainingState.RUNNING;
  return joinParts([
    requestTime && timestampDate(requestTime).toISOString().slice(0, 19).replace('T', ' '),
    training.trainingId,
    stateOf(training),
    isRunning && `${Math.floor(100 * progress)} % ${training.stage}`,
    `(${TrainingReason[training.reason].toLowerCase()})`,
    version > 0 && `version ${version}`,
    training.endTime && `${itemCount} items, ${eventCount} events`,
    decision,
  ]);
}
