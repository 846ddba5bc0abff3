/** `personalisation import items|events FILE` (docs/import.md). */

import { type Command, Option } from 'commander';
import {
  CatalogueService,
  type PutItemsRequest,
} from '../../gen/es/personalisation/v1/catalogue_service_pb.js';
import { EnvironmentService } from '../../gen/es/personalisation/v1/environment_service_pb.js';
import { EventService } from '../../gen/es/personalisation/v1/event_service_pb.js';
import { ItemService } from '../../gen/es/personalisation/v1/item_service_pb.js';
import type { Batch } from '../formats/records/batches.ts';
import { formats } from '../formats/records/formats.ts';
import type { RecordKind } from '../formats/records/mapping/mapping.ts';
import { readyMapping, readyNames } from '../formats/records/mapping/ready-mappings.ts';
import { parseWhole } from './arguments.ts';
import type { Connection } from './connection/connect.ts';
import { describeFailure } from './connection/failure.ts';
import { type ConnectionOptions, withConnection } from './connection/options.ts';
import { conclude, concludeInterruptible, type ExitCode, exitCodes } from './connection/outcome.ts';
import { addToFeed, type Feed, removeMissing } from './feed-removal.ts';
import {
  type ImportContext,
  type ImportOptions,
  ImportStopped,
  type ImportSummary,
  runImport,
} from './importing/run-import.ts';
import type { BatchCall } from './importing/send-batches.ts';
import { formatTable, print, printNote } from './output.ts';
import { createProgress } from './progress.ts';

type Options = ConnectionOptions & {
  environment: string;
  format?: ImportOptions['format'];
  encoding?: string;
  mapping?: string;
  itemType?: string;
  report?: string;
  state?: string;
  rejected?: string;
  resume: boolean;
  patch?: boolean;
  onlyNewer?: string;
  full?: boolean;
  mostRemoved: number;
  dryRun?: boolean;
};

export function registerImport(program: Command): void {
  const command = program.command('import').description('import items or events from a file');
  command
    .command('mapping')
    .description('print a ready mapping, to change it')
    .argument('<name>', 'name of the mapping, such as shopify')
    .action((name: string) =>
      conclude(async () =>
        print((readyMapping(name, 'items') ?? readyMapping(name, 'events') ?? unknown(name)).text),
      ),
    );
  for (const kind of ['items', 'events'] as const) {
    const one = withConnection(command.command(kind))
      .description(`import ${kind} from JSON, CSV, TSV, XML or Excel, each also .gz`)
      .argument('<file>', 'file, or - for standard input')
      .requiredOption('--environment <name>', `environment of the ${kind}`)
      .addOption(
        new Option('--format <format>', 'format (default: by the name of the file)').choices([...formats]),
      )
      .option('--encoding <name>', 'encoding of the text, such as windows-1250 (default: detected)')
      .option('--mapping <file>', `YAML file that maps columns to fields, or ${readyNames(kind).join(', ')}`)
      .option('--item-type <name>', 'item type of records without one')
      .option('--report <file>', 'refused lines (default: FILE.refused.ndjson)')
      .option('--rejected <file>', 'refused lines as they were sent, with a column of reasons')
      .option('--state <file>', 'progress, until the import is done (default: FILE.import.json)')
      .option('--dry-run', 'check the records, and store nothing')
      .option('--no-resume', 'start at the first line even if the last import was interrupted')
      .action((path: string, options: Options) =>
        concludeInterruptible((signal) => importFile(toImportOptions(kind, path, options), options, signal)),
      );
    if (kind === 'items')
      one
        .option('--patch', 'change only the fields of each record; null removes a field')
        .option(
          '--only-newer <property>',
          'store only items whose time in this property is later than the stored one',
        )
        .option('--full', 'disable the items that the file lacks, of the item types that it has')
        .option('--most-removed <percent>', 'largest share that --full may disable', parseWhole(0, 100), 10);
  }
}

function unknown(name: string): never {
  const names = [...readyNames('items'), ...readyNames('events')];
  throw new Error(`There is no mapping ${name}. Expected ${names.join(', ')}.`);
}

function toImportOptions(kind: RecordKind, path: string, options: Options): ImportOptions {
  const { url, address = url, mapping: mappingPath, ...others } = options;
  const { report: reportPath, state: statePath, rejected: rejectedPath } = options;
  return { ...others, kind, address, path, mappingPath, reportPath, statePath, rejectedPath };
}

async function importFile(
  options: ImportOptions,
  connectionOptions: Options,
  signal: AbortSignal,
): Promise<ExitCode> {
  if (options.patch && (options.full || options.dryRun || options.onlyNewer))
    throw new Error('--patch cannot be combined with --full, --dry-run or --only-newer.');
  const startMs = performance.now();
  const feed: Feed = { keys: new Set(), unreadableCount: 0 };
  let connection: Connection | undefined;
  const openCall = async () => {
    const { connect } = await import('./connection/connect.ts');
    connection = await connect(connectionOptions);
    return callFor(options, connection);
  };
  try {
    const context = {
      ...contextOf(options, openCall, signal),
      readDeclared: () => readDeclared(connection!, options.environment),
      onBatch: options.full ? (batch: Batch) => addToFeed(feed, batch) : undefined,
    };
    const summary = await runImport(options, context);
    const seconds = (performance.now() - startMs) / 1_000;
    process.stdout.write(describeSummary(summary, seconds, options.mappingPath !== undefined));
    if (options.dryRun) print('Dry run: nothing was stored.');
    if (summary.accepted + summary.older === 0) return exitCodes.failure;
    if (options.full) {
      const { environment, dryRun } = options;
      const { mostRemoved } = connectionOptions;
      const count = await removeMissing(connection!, feed, { environment, mostRemoved, dryRun });
      print(`${count} items that the file lacks ${dryRun ? 'would be' : 'were'} disabled.`);
    }
    return summary.refused > 0 ? exitCodes.partial : exitCodes.success;
  } catch (error) {
    if (!(error instanceof ImportStopped)) throw error;
    printNote(describeStop(error, options, signal.aborted));
    return signal.aborted ? exitCodes.interrupted : exitCodes.failure;
  } finally {
    connection?.close();
  }
}

type Target = Pick<ImportOptions, 'kind' | 'environment' | 'patch' | 'onlyNewer' | 'full' | 'dryRun'>;

export function contextOf(
  { kind, environment, patch, onlyNewer: newerBy, full, dryRun: validateOnly }: Target,
  openCall: ImportContext['openCall'],
  signal: AbortSignal,
): ImportContext {
  return {
    signal,
    openCall,
    createProgress: (totalBytes) => createProgress({ total: totalBytes }),
    note: printNote,
    toRequest: (records) => {
      const lines = records.map(({ line, json, enabled }) => ({
        line: BigInt(line),
        form: { case: 'json', value: json },
        /** An item that returns to a complete feed was disabled when it left. */
        enabled: enabled ?? (full || undefined),
      }));
      return kind === 'items'
        ? { environment, items: lines, patch, newerBy }
        : { environment, events: lines, validateOnly };
    },
  };
}

export async function readDeclared({ client }: Connection, environment: string) {
  const { environments } = await client(EnvironmentService).listEnvironments({});
  const settings = environments.find(({ name }) => name === environment);
  const { itemTypes: types = [], vectors = [], timeZone } = settings ?? {};
  const names = new Set(types.flatMap((type) => type.properties.map(({ name }) => `${type.name}/${name}`)));
  return {
    timeZone,
    isDeclared: (itemType: string, name: string) =>
      names.has(`${itemType}/${name}`) || vectors.some((vector) => vector.name === name),
    propertyTypes: new Map(
      types.flatMap(({ properties }) => properties.map(({ name, type }) => [name, type])),
    ),
  };
}

/** The two calls differ in their requests, which `toRequest` makes. The import has its own deadline for answers. */
export function callOf(kind: RecordKind, { client }: Pick<Connection, 'client'>): BatchCall {
  const items = client(ItemService);
  const events = client(EventService);
  const call = kind === 'items' ? items.importItems : events.importEvents;
  return (requests, signal) => (call as unknown as Call)(requests, { timeoutMs: 0, signal });
}

/** Returns the call of an import; that of a dry run stores nothing. */
export function callFor({ kind, dryRun }: Pick<ImportOptions, 'kind' | 'dryRun'>, connection: Connection) {
  return dryRun && kind === 'items' ? checkOf(connection) : callOf(kind, connection);
}

function checkOf({ client }: Pick<Connection, 'client'>): BatchCall {
  return async function* (requests, signal) {
    for await (const request of requests)
      yield await client(CatalogueService).putItems(
        { ...(request as PutItemsRequest), validateOnly: true },
        { signal },
      );
  };
}

type Call = (
  requests: AsyncIterable<unknown>,
  options: { timeoutMs: number; signal: AbortSignal },
) => ReturnType<BatchCall>;

const mappingHint =
  'If the columns have other names, map them to fields with --mapping FILE; see docs/import.md.\n';

const mostReasons = 10;

/** The rate is that of this run, without the records of the run that it continues. */
function describeSummary(summary: ImportSummary, seconds: number, hasMapping: boolean): string {
  const { accepted, refused, skipped, older, reportPath, reasons } = summary;
  const rate = Math.round(summary.sentNow / seconds);
  const counts = [
    `${accepted} accepted`,
    `${refused} refused`,
    ...(skipped > 0 ? [`${skipped} skipped`] : []),
    ...(older > 0 ? [`${older} not newer`] : []),
  ];
  const rows = reasons
    .slice(0, mostReasons)
    .map(({ count, pointer, detail, firstLine }) => [count, pointer.slice(1), detail, firstLine]);
  const table = rows.length > 0 ? formatTable(['refused', 'field', 'reason', 'first line'], rows) : '';
  const report = refused > 0 ? `The refused lines are in ${reportPath}.\n` : '';
  const none = accepted + older === 0 ? 'No line was accepted.\n' : '';
  const hint = refused > 0 && accepted === 0 && !hasMapping ? mappingHint : '';
  return `${counts.join(', ')} in ${seconds.toFixed(1)} s, ${rate} per second.\n${table}${report}${none}${hint}`;
}

function describeStop(stop: ImportStopped, { path }: ImportOptions, isInterrupted: boolean): string {
  const { line, accepted } = stop.progress;
  const reason = isInterrupted ? 'Interrupted.' : describeFailure(stop.cause);
  const advice =
    path === '-'
      ? 'Standard input cannot be resumed.'
      : `Run the same command again to go on${line > 0 ? ` after line ${line}` : ''}.`;
  return `${reason}\n${accepted} accepted so far. ${advice}`;
}
