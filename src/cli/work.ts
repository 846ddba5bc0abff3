/** `personalisation work`: a process that only trains models, for services over the same database. */

import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Command } from 'commander';
import { createLogger, type LogLevel } from '../servers/telemetry/logger.ts';
import { databaseUrlOption } from './local-database.ts';
import { deploymentOption, logLevelOption, readDeployment, stopSignal, workersOption } from './serve.ts';

type WorkOptions = { databaseUrl: string; deployment?: string; workers?: number; logLevel: LogLevel };

/** The record of trainings and its follower. */
const poolSize = 4;

export function registerWork(program: Command): void {
  program
    .command('work')
    .description(
      'train models for services over the same database. Ctrl-C stops it; another process takes over its training.',
    )
    .addOption(databaseUrlOption('the Postgres of the services').makeOptionMandatory())
    .addOption(deploymentOption('their deployment file; without it, the demo'))
    .addOption(workersOption('threads that share a training [all cores but one, at most 4]'))
    .addOption(logLevelOption())
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
