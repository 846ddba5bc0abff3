#!/usr/bin/env node
/** The command line: a table of commands. */

import { Command } from 'commander';
import { cacheFolder, keepCompiled } from './cli/compile-cache.ts';
import { describeError } from './cli/connection/failure.ts';
import { forgetEmptySettings } from './cli/empty-settings.ts';
import { version } from './version.ts';

forgetEmptySettings();

const program = new Command('personalisation')
  .description('Personalisation service: recommendations, search, audiences, events.')
  .version(version, '--version', 'print the version');

/** The module of each command, loaded only when it is needed. */
const commands: Record<string, () => Promise<(program: Command) => void>> = {
  serve: async () => (await import('./cli/serve.ts')).registerServe,
  work: async () => (await import('./cli/work.ts')).registerWork,
  migrate: async () => (await import('./cli/migrate.ts')).registerMigrate,
  backup: async () => (await import('./cli/backup.ts')).registerBackup,
  restore: async () => (await import('./cli/backup.ts')).registerRestore,
  import: async () => (await import('./cli/import.ts')).registerImport,
  export: async () => (await import('./cli/export.ts')).registerExport,
  configurations: async () => (await import('./cli/configurations.ts')).registerConfigurations,
  recommend: async () => (await import('./cli/recommend.ts')).registerRecommend,
  explain: async () => (await import('./cli/explain.ts')).registerExplain,
  search: async () => (await import('./cli/search.ts')).registerSearch,
  doctor: async () => (await import('./cli/doctor.ts')).registerDoctor,
  evaluate: async () => (await import('./cli/evaluate.ts')).registerEvaluate,
  train: async () => (await import('./cli/train.ts')).registerTrain,
  models: async () => (await import('./cli/train.ts')).registerModels,
  audiences: async () => (await import('./cli/audiences.ts')).registerAudiences,
  batches: async () => (await import('./cli/batches.ts')).registerBatches,
  items: async () => (await import('./cli/items.ts')).registerItems,
  events: async () => (await import('./cli/events.ts')).registerEvents,
  queries: async () => (await import('./cli/queries.ts')).registerQueries,
  synonyms: async () => (await import('./cli/synonyms.ts')).registerSynonyms,
  webhooks: async () => (await import('./cli/webhooks.ts')).registerWebhooks,
  interests: async () => (await import('./cli/interests.ts')).registerInterests,
  metrics: async () => (await import('./cli/metrics.ts')).registerMetrics,
  alerts: async () => (await import('./cli/alerts.ts')).registerAlerts,
  guarantees: async () => (await import('./cli/guarantees.ts')).registerGuarantees,
  segments: async () => (await import('./cli/segments.ts')).registerSegments,
  experiments: async () => (await import('./cli/experiments.ts')).registerExperiments,
  mcp: async () => (await import('./cli/mcp.ts')).registerMcp,
  completion: async () => {
    const { registerCompletion } = await import('./cli/completion.ts');
    const others = Object.entries(commands).filter(([name]) => name !== 'completion');
    return (it) =>
      registerCompletion(it, async () => {
        for (const [name, load] of others)
          if (!it.commands.some((known) => known.name() === name)) (await load())(it);
      });
  },
  people: async () => (await import('./cli/people.ts')).registerPeople,
  audit: async () => (await import('./cli/audit.ts')).registerAudit,
  clients: async () => (await import('./cli/clients.ts')).registerClients,
};
/** The help and the suggestion for a misspelt name need all commands. */
const [name] = process.argv.slice(2);
/** The service has its cache beside its data. */
const folder = name === 'serve' ? undefined : cacheFolder();
if (folder !== undefined) keepCompiled(folder);
const needed = Object.hasOwn(commands, name) ? [commands[name]] : Object.values(commands);
for (const load of needed) (await load())(program);

/** With `--help`, commander would ignore an unknown command and show the help of its parent. */
const isUnknown = namesNoCommand(program, process.argv.slice(2));
const words = process.argv.filter((word) => !isUnknown || (word !== '--help' && word !== '-h'));

try {
  await program.parseAsync(words);
} catch (error) {
  console.error(describeError(error));
  process.exit(1);
}

/** Whether a word in the place of a command is not the name of one. */
function namesNoCommand(group: Command, [word, ...others]: string[]): boolean {
  const takesWords = group.commands.length === 0 || group.registeredArguments.length > 0;
  if (takesWords || word === undefined || word === 'help' || word.startsWith('-')) return false;
  const command = group.commands.find((known) => known.name() === word);
  return command === undefined || namesNoCommand(command, others);
}
