/** `personalisation work`: a process that trains models and serves nothing, beside services over the same database. */

import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { type Command, Option } from 'commander';
import { createLogger, type LogLevel, logLevels } from '../servers/telemetry/logger.ts';
import { parseWorkers, readDeployment, stopSignal } from './serve.ts';

type WorkOptions = { databaseUrl: string; deployment?: string; workers?: number; logLevel: LogLevel };

/** The record of trainings, and what follows it. */
const poolSize = 4;

export function registerWork(program: Command): void {
  program
    .command('work')
    .description(
      'train models for services over the same database. Ctrl-C stops it; its training goes to another.',
    )
    .addOption(
      new Option('--database-url <url>', 'the Postgres of the services')
        .env('DATABASE_URL')
        .makeOptionMandatory(),
    )
    .addOption(
      new Option('--deployment <file>', 'their deployment file; without it the demo').env('DEPLOYMENT'),
    )
    .addOption(
      new Option('--workers <count>', 'threads that share a training [all cores but one, at most 4]')
        .env('TRAINING_WORKERS')
        .argParser(parseWorkers),
    )
    .addOption(
      new Option('--log-level <level>', 'what is logged').env('LOG_LEVEL').choices(logLevels).default('info'),
    )
    .action(work);
}

async function work(options: WorkOptions): Promise<void> {
  const { createDatabase } = await import('../repository/database.ts');
  const { migrate } = await import('../repository/migrations.ts');
  const { defaultThreadCount } = await import('../jobs/training/machine.ts');
  const { createTrainer } = await import('../jobs/training/trainer.ts');
  const logger = createLogger(options.logLevel);
  const stopped = stopSignal();
  const deployment = await readDeployment(options.deployment);
  const db = createDatabase(options.databaseUrl, { poolSize, logger });
  await migrate(db, { ...deployment.storage, logger });
  const trainer = createTrainer({
    db,
    connection: options.databaseUrl,
    environments: [...deployment.environments.keys()],
    settingsOf: (name) => deployment.environments.get(name)!,
    scheduleOf: (name) => deployment.environments.get(name)!.training,
    node: `${hostname()} ${process.pid} ${randomUUID().slice(0, 8)}`,
    threadCount: Math.max(1, options.workers ?? defaultThreadCount()),
    clock: Date.now,
    logger,
  });
  await trainer.start();
  console.log('Waiting for trainings.');
  await stopped;
  await trainer.stop();
  await db.close();
  process.exit();
}
