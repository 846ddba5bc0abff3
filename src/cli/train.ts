/** `personalisation train`: asks for a training of an environment's models, shows how far it is, lists them, goes back. */

import { setTimeout as delay } from 'node:timers/promises';
import { SingleBar } from 'cli-progress';
import { type Command, InvalidArgumentError } from 'commander';
import { type Training, TrainingReason, TrainingState } from '../../gen/grpc/personalisation/v1/training.ts';
import {
  type GetTrainingResponse,
  type ListTrainingsResponse,
  type RollBackModelsResponse,
  TrainingServiceClient,
  type TrainModelsResponse,
} from '../../gen/grpc/personalisation/v1/training_service.ts';
import { ask, type Connection, withConnected } from './connection/connect.ts';
import { type ConnectionOptions, withConnection } from './connection/options.ts';
import { conclude, exitCodes } from './connection/outcome.ts';

type Options = ConnectionOptions & { environment: string };
type TrainOptions = Options & { wait?: boolean };
type ListOptions = Options & { limit: number };

const pollingMs = 500;

export function registerTrain(program: Command): void {
  withConnection(program.command('train'))
    .description("train an environment's models now; it happens by itself as well")
    .requiredOption('--environment <name>', 'environment to train')
    .option('--wait', 'show the progress, and end with what was decided')
    .action((options: TrainOptions) =>
      conclude((signal) => withConnected(options, (connection) => train(connection, options, signal))),
    );
}

/** The group beside it. */
export function registerModels(program: Command): void {
  const models = program.command('models').description('trainings and versions of the models');
  withConnection(models.command('list'))
    .description('list the trainings of an environment, newest first')
    .requiredOption('--environment <name>', 'environment')
    .option('--limit <count>', 'how many, at most 200', parseLimit, 20)
    .action((options: ListOptions) =>
      conclude(() => withConnected(options, (connection) => list(connection, options))),
    );
  withConnection(models.command('rollback'))
    .description('go back to the models before those in use, until a training is asked for')
    .requiredOption('--environment <name>', 'environment')
    .action((options: Options) =>
      conclude(() => withConnected(options, (connection) => rollBack(connection, options))),
    );
}

function parseLimit(text: string): number {
  const limit = Number(text);
  if (!Number.isInteger(limit) || limit < 1 || limit > 200)
    throw new InvalidArgumentError('It must be 1 to 200.');
  return limit;
}

async function train(connection: Connection, options: TrainOptions, signal: AbortSignal): Promise<number> {
  const { environment, wait } = options;
  const service = connection.client(TrainingServiceClient);
  const asked = await ask<TrainModelsResponse>((call, callback) =>
    service.trainModels({ environment }, connection.metadata, call, callback),
  );
  if (!wait) {
    process.stdout.write(`${describe(asked.training!)}\n`);
    return exitCodes.success;
  }
  const find = async () => {
    const request = { environment, training_id: asked.training!.training_id };
    const { training } = await ask<GetTrainingResponse>((call, callback) =>
      service.getTraining(request, connection.metadata, call, callback),
    );
    return training!;
  };
  const ended = await watch(find, signal);
  process.stdout.write(`${describe(ended)}\n`);
  return ended.state === TrainingState.TRAINING_STATE_FAILED ? exitCodes.failure : exitCodes.success;
}

/** A bar on a terminal; elsewhere a line for each stage. */
async function watch(find: () => Promise<Training>, signal: AbortSignal): Promise<Training> {
  const show = process.stderr.isTTY ? createBar() : createLines();
  try {
    while (true) {
      const training = await find();
      show.update(training);
      if (training.end_time) return training;
      await delay(pollingMs, undefined, { signal });
    }
  } finally {
    show.stop();
  }
}

type Display = { update(training: Training): void; stop(): void };

function createBar(): Display {
  const bar = new SingleBar({
    stream: process.stderr,
    format: '{bar} {percentage}% | {stage} | {duration_formatted}',
    barCompleteChar: '█',
    barIncompleteChar: '░',
    hideCursor: true,
  });
  bar.start(100, 0, { stage: 'queued' });
  return {
    update: (training) => bar.update(Math.floor(100 * training.progress), { stage: stageOf(training) }),
    stop: () => bar.stop(),
  };
}

function createLines(): Display {
  let before = '';
  return {
    update(training) {
      const stage = stageOf(training);
      if (stage === before) return;
      before = stage;
      process.stderr.write(`${Math.floor(100 * training.progress)} % ${stage}\n`);
    },
    stop() {},
  };
}

const stageOf = ({ state, stage }: Training): string =>
  state === TrainingState.TRAINING_STATE_RUNNING && stage !== '' ? stage : nameOf(states, state);

async function list(connection: Connection, { environment, limit }: ListOptions): Promise<number> {
  const service = connection.client(TrainingServiceClient);
  const answer = await ask<ListTrainingsResponse>((call, callback) =>
    service.listTrainings({ environment, page_size: limit }, connection.metadata, call, callback),
  );
  const served = answer.served_version > 0 ? `version ${answer.served_version} is served` : 'no version yet';
  const held = answer.held ? ', held until a training is asked for' : '';
  process.stdout.write(
    `${[`${environment}: ${served}${held}`, ...answer.trainings.map(describe)].join('\n')}\n`,
  );
  return exitCodes.success;
}

async function rollBack(connection: Connection, { environment }: Options): Promise<number> {
  const service = connection.client(TrainingServiceClient);
  const { version } = await ask<RollBackModelsResponse>((call, callback) =>
    service.rollBackModels({ environment }, connection.metadata, call, callback),
  );
  process.stdout.write(`${environment}: version ${version} is served until a training is asked for\n`);
  return exitCodes.success;
}

const states = { values: TrainingState, prefix: 'TRAINING_STATE_' };
const reasons = { values: TrainingReason, prefix: 'TRAINING_REASON_' };

function nameOf(
  { values, prefix }: { values: Record<string, number>; prefix: string },
  value: number,
): string {
  const name = Object.keys(values).find((key) => values[key] === value) ?? '';
  return name.slice(prefix.length).toLowerCase();
}

/** One line: when, how it stands, why it was asked for, and what was decided. */
export function describe(training: Training): string {
  const {
    request_time: asked,
    decision,
    version,
    progress,
    item_count: items,
    event_count: events,
  } = training;
  const isRunning = training.state === TrainingState.TRAINING_STATE_RUNNING;
  return [
    asked?.toISOString().slice(0, 19).replace('T', ' '),
    training.training_id,
    nameOf(states, training.state),
    isRunning ? `${Math.floor(100 * progress)} % ${training.stage}` : '',
    `(${nameOf(reasons, training.reason)})`,
    version > 0 ? `version ${version}` : '',
    training.end_time ? `${items} items, ${events} events` : '',
    decision,
  ]
    .filter((part) => part)
    .join('  ');
}
