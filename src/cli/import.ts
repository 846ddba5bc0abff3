/** `personalisation import items|events FILE`. docs/import.md is its manual. */

import type { ClientDuplexStream } from '@grpc/grpc-js';
import { type Command, Option } from 'commander';
import { EventServiceClient } from '../../gen/grpc/personalisation/v1/event_service.ts';
import { ItemServiceClient } from '../../gen/grpc/personalisation/v1/item_service.ts';
import type { RecordKind } from '../formats/records/mapping/mapping.ts';
import { type Connection, connect } from './connection/connect.ts';
import { describeFailure } from './connection/failure.ts';
import { type ConnectionOptions, withConnection } from './connection/options.ts';
import { conclude, exitCodes } from './connection/outcome.ts';
import { formats } from './importing/input.ts';
import { createProgress } from './importing/progress.ts';
import {
  type ImportContext,
  type ImportOptions,
  ImportStopped,
  type ImportSummary,
  runImport,
} from './importing/run-import.ts';
import type { BatchAnswer } from './importing/send-batches.ts';

type Options = ConnectionOptions & {
  environment: string;
  format?: ImportOptions['format'];
  mapping?: string;
  itemType?: string;
  report?: string;
  state?: string;
  resume: boolean;
  patch?: boolean;
};

export function registerImport(program: Command): void {
  const command = program.command('import').description('import items or events from a file');
  for (const kind of ['items', 'events'] as const) {
    const one = withConnection(command.command(kind))
      .description(`import ${kind} from NDJSON, CSV or TSV, each also .gz`)
      .argument('<file>', 'file, or - for standard input')
      .requiredOption('--environment <name>', `environment of the ${kind}`)
      .addOption(new Option('--format <format>', 'instead of by the name of the file').choices([...formats]))
      .option('--mapping <file>', 'YAML file: which columns become which fields')
      .option('--item-type <name>', 'item type where a record names none')
      .option('--report <file>', 'refused lines (default: FILE.refused.ndjson)')
      .option('--state <file>', 'how far it has come, until it is done (default: FILE.import.json)')
      .option('--no-resume', 'start at the first line even if the last import was interrupted')
      .action((path: string, options: Options) =>
        conclude((signal) => importFile(toImportOptions(kind, path, options), options, signal)),
      );
    if (kind === 'items')
      one.option('--patch', 'change the fields that a record has and leave the others; null takes one away');
  }
}

function toImportOptions(kind: RecordKind, path: string, options: Options): ImportOptions {
  const {
    environment,
    url,
    address = url,
    format,
    mapping,
    itemType,
    report,
    state,
    resume,
    patch,
  } = options;
  return {
    kind,
    path,
    environment,
    address,
    format,
    mappingPath: mapping,
    itemType,
    reportPath: report,
    statePath: state,
    resume,
    patch,
  };
}

async function importFile(
  options: ImportOptions,
  connectionOptions: ConnectionOptions,
  signal: AbortSignal,
): Promise<number> {
  const startMs = performance.now();
  let connection: Connection | undefined;
  const open = async () => {
    connection = await connect(connectionOptions);
    return openStream(options.kind, connection);
  };
  try {
    const summary = await runImport(options, createContext(options, open, signal));
    process.stdout.write(
      describeSummary(summary, (performance.now() - startMs) / 1_000, options.mappingPath !== undefined),
    );
    return summary.refused > 0 ? exitCodes.partial : exitCodes.success;
  } catch (error) {
    if (!(error instanceof ImportStopped)) throw error;
    process.stderr.write(describeStop(error, options, signal.aborted));
    return signal.aborted ? exitCodes.interrupted : exitCodes.failure;
  } finally {
    connection?.close();
  }
}

function createContext(
  { kind, environment, patch }: ImportOptions,
  openCall: ImportContext['openCall'],
  signal: AbortSignal,
): ImportContext {
  return {
    signal,
    openCall,
    createProgress: (totalBytes) =>
      createProgress({ stream: process.stderr, totalBytes, elapsedMs: () => performance.now() }),
    note: (sentence) => process.stderr.write(`${sentence}\n`),
    toRequest: (records) =>
      kind === 'items'
        ? { environment, items: records, patch }
        : { environment, events: records.map(({ line, json }) => ({ line, json })) },
  };
}

/** The two streams differ in their requests, which toRequest makes. */
function openStream(kind: RecordKind, connection: Connection) {
  const { metadata } = connection;
  const call =
    kind === 'items'
      ? connection.client(ItemServiceClient).importItems(metadata)
      : connection.client(EventServiceClient).importEvents(metadata);
  return call as ClientDuplexStream<unknown, BatchAnswer>;
}

const mappingHint =
  'Every line was refused. If the fields are named otherwise, --mapping FILE says what stands where; see docs/import.md.\n';

/** The rate is that of this run, without what an interrupted one had done. */
function describeSummary(summary: ImportSummary, seconds: number, hasMapping: boolean): string {
  const { accepted, refused, skipped, reportPath } = summary;
  const rate = Math.round(summary.sentNow / seconds);
  const counts = [
    `${accepted} accepted`,
    `${refused} refused`,
    ...(skipped > 0 ? [`${skipped} skipped`] : []),
  ];
  const report = refused > 0 ? `The refused lines are in ${reportPath}.\n` : '';
  const hint = refused > 0 && accepted === 0 && !hasMapping ? mappingHint : '';
  return `${counts.join(', ')} in ${seconds.toFixed(1)} s, ${rate} per second.\n${report}${hint}`;
}

function describeStop(stop: ImportStopped, { path }: ImportOptions, isInterrupted: boolean): string {
  const { line, accepted } = stop.progress;
  const reason = isInterrupted ? 'Interrupted.' : describeFailure(stop.cause);
  const advice =
    path === '-'
      ? 'Standard input cannot be resumed.'
      : `Run the same command again to go on${line > 0 ? ` after line ${line}` : ''}.`;
  return `${reason}\n${accepted} accepted so far. ${advice}\n`;
}
