#!/usr/bin/env node
/** The command line: a table of commands. */

import { Command } from 'commander';
import { registerServe } from './cli/serve.ts';

const program = new Command('personalisation').description(
  'Personalisation service: recommendations, search, audiences, events.',
);

for (const register of [registerServe]) register(program);

try {
  await program.parseAsync();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}
