/** `personalisation migrate algolia|recombee|…`: moves items, events, synonyms and rules from another product. */

import type { Command } from 'commander';
import { interruptibleAction } from '../connection/actions.ts';
import type { Connection } from '../connection/connect.ts';
import { openHttp } from '../connection/http.ts';
import { type ConnectionOptions, withConnection } from '../connection/options.ts';
import { type ExitCode, exitCodes } from '../connection/outcome.ts';
import { formatTable, print } from '../output.ts';
import { registerParity } from './parity.ts';
import { type Rival, rivals } from './rivals.ts';
import type { MigrationOptions, MigrationReport } from './run-migration.ts';

type Options = ConnectionOptions & MigrationOptions & { json?: boolean };

export function registerRivals(migrate: Command): void {
  registerParity(migrate);
  for (const [name, rival] of Object.entries(rivals)) {
    const command = withConnection(migrate.command(name))
      .description(`move items, events, synonyms and rules from ${rival.title}`)
      .requiredOption('--environment <name>', 'environment that receives them');
    addFiles(command, rival);
    command
      .option('--item-type <name>', 'item type of the items (default: product)')
      .option('--item-mapping <file>', `mapping instead of ${rival.itemMapping}; see import mapping`)
      .option('--event-mapping <file>', `mapping instead of ${rival.eventMapping}`)
      .option('--dry-run', 'check and report, and store nothing')
      .option('--json', 'print the report as JSON')
      .action(
        interruptibleAction((connection, signal, options: Options) =>
          migrateFrom(name, connection, signal, options),
        ),
      );
  }
}

function addFiles(
  command: Command,
  { eventKinds, dumpFormat, readSynonym, readRule, readSettings }: Rival,
): void {
  const kinds = eventKinds ? `; KIND=FILE for one kind: ${eventKinds.join(', ')}` : '';
  command
    .option('--items <file...>', 'exported items, each also .gz')
    .option('--events <file...>', `exported events${kinds}`);
  if (dumpFormat) command.option('--dump <file>', 'dump with items and events');
  if (readSynonym) command.option('--synonyms <file...>', 'exported synonyms');
  if (readRule)
    command.option('--rules <file...>', 'exported rules: pins, hidden items, filters, boosts, banners');
  if (readSettings) command.option('--settings <file>', 'settings or schema, for the properties to declare');
}

async function migrateFrom(
  name: string,
  connection: Connection,
  signal: AbortSignal,
  options: Options,
): Promise<ExitCode> {
  const { runMigration } = await import('./run-migration.ts');
  const files = ['items', 'events', 'dump', 'synonyms', 'rules', 'settings'] as const;
  if (files.every((file) => options[file] === undefined))
    throw new Error('Name the exported files, such as --items FILE.');
  const report = await runMigration(name, options, { connection, http: await openHttp(options), signal });
  print(options.json ? JSON.stringify(report, null, 2) : describeReport(report));
  const isRefused = Object.values(report.parts).some(({ refused = 0 }) => refused > 0);
  return isRefused ? exitCodes.partial : exitCodes.success;
}

function describeReport({ parts, not_mapped, proposed_properties, dry_run }: MigrationReport): string {
  const counts = Object.entries(parts).map(([part, found]) => [
    part,
    Object.entries(found)
      .filter(([name, count]) => count > 0 || name === 'accepted' || name === 'stored')
      .map(([name, count]) => `${count} ${name}`)
      .join(', '),
  ]);
  const losses = not_mapped.map(({ part, count, reason, example }) => [part, count, reason, example]);
  return [
    formatTable(['part', 'result'], counts).trimEnd(),
    ...(losses.length > 0
      ? ['', formatTable(['part', 'count', 'not mapped', 'example'], losses).trimEnd()]
      : []),
    ...(proposed_properties
      ? [
          '',
          'To use these fields in rules and searches, declare them in the deployment file:',
          '',
          proposed_properties,
        ]
      : []),
    ...(dry_run ? ['', 'Dry run: nothing was stored.'] : []),
  ].join('\n');
}
