#!/usr/bin/env node
/** The command line: a table of commands. */

import { Command } from 'commander';
import { registerAudiences } from './cli/audiences.ts';
import { registerClients } from './cli/clients.ts';
import { registerConfigurations } from './cli/configurations.ts';
import { registerDoctor } from './cli/doctor.ts';
import { registerEvaluate } from './cli/evaluate.ts';
import { registerExplain } from './cli/explain.ts';
import { registerExport } from './cli/export.ts';
import { registerImport } from './cli/import.ts';
import { registerRecommend } from './cli/recommend.ts';
import { registerSearch } from './cli/search.ts';
import { registerServe } from './cli/serve.ts';
import { registerTrain } from './cli/train.ts';
import { registerWork } from './cli/work.ts';

const program = new Command('personalisation').description(
  'Personalisation service: recommendations, search, audiences, events.',
);

const commands = [
  registerServe,
  registerWork,
  registerImport,
  registerExport,
  registerConfigurations,
  registerRecommend,
  registerExplain,
  registerSearch,
  registerDoctor,
  registerEvaluate,
  registerTrain,
  registerAudiences,
  registerClients,
];
for (const register of commands) register(program);

try {
  await program.parseAsync();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}
