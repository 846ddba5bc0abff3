/**
 * One import: input → rows → records → batches → the service, with state file and report.
 *
 * The report is written after the service's answer, and the state after the report. Whenever the process dies, everything
 * that the state counts is stored. Everything else is sent again, which has no further effect: items replace themselves and
 * events have IDs.
 */

import { createHash, randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import {
  allRefused,
  type Batch,
  groupBatches,
  type OutgoingRecord,
  type RefusedLine,
} from '../../formats/records/batches.ts';
import { type Format, formatOf, formats } from '../../formats/records/formats.ts';
import { type Mapping, parseMapping, type RecordKind } from '../../formats/records/mapping/mapping.ts';
import { readyMapping, readyNames } from '../../formats/records/mapping/ready-mappings.ts';
import type { Row } from '../../formats/records/mapping/row.ts';
import { type OpenedRows, openRows, toOutcomes } from '../../formats/records/open-records.ts';
import type { OutgoingOptions } from '../../formats/records/outgoing.ts';
import { addReasons, type Reason, rejectedHeading, rejectedLines } from '../../formats/records/rejected.ts';
import { assertWritable } from '../files.ts';
import type { Progress } from '../progress.ts';
import {
  type ImportIdentity,
  type ImportProgress,
  identifyFile,
  readState,
  removeState,
  startOfFile,
  writeState,
} from './import-state.ts';
import { type Input, openInput } from './input.ts';
import { type LineFile, openLineFile } from './line-file.ts';
import { type BatchAnswer, type BatchCall, sendBatches } from './send-batches.ts';

export type ImportOptions = {
  kind: RecordKind;
  /** A file, or `-` for standard input. */
  path: string;
  environment: string;
  /** Address of the service; an interrupted import continues only there. */
  address: string;
  format?: Format;
  /** WHATWG label; undefined detects the encoding. */
  encoding?: string;
  /** A file, or the name of a ready mapping. */
  mappingPath?: string;
  itemType?: string;
  /** Default: beside the input. */
  reportPath?: string;
  statePath?: string;
  /** File of the refused lines as they were sent; undefined writes none. */
  rejectedPath?: string;
  /** False starts at the first line in any case. */
  resume: boolean;
  /** Records are changes of stored items. */
  patch?: boolean;
  /** Property with the time of the source; items that are not newer are left alone. */
  onlyNewer?: string;
  /** The file has all items of its types; the others are disabled after the import. */
  full?: boolean;
  /** Checks the records and stores nothing. */
  dryRun?: boolean;
  /** Gives each row a shape that the mapping can read; an interrupted import continues only with the same name. */
  prepare?: { name: string; apply(row: Row): Row };
};

type Declared = Pick<OutgoingOptions, 'isDeclared' | 'propertyTypes' | 'timeZone'>;

export type ImportContext = {
  /** Connects; called after all checks that need no connection. */
  openCall(): Promise<BatchCall>;
  /** Reads what the environment declares; called after openCall. */
  readDeclared?(): Promise<Declared>;
  /** Called with each batch that is acknowledged. */
  onBatch?(batch: Batch): void;
  toRequest(records: OutgoingRecord[]): unknown;
  createProgress(totalBytes: number | undefined): Progress;
  note(sentence: string): void;
  signal: AbortSignal;
  /** Longest time for the answer to a batch [120,000]. */
  answerTimeoutMs?: number;
};

export type ImportSummary = ImportProgress & {
  reportPath: string;
  /** Reasons of the lines that this run refused, the most frequent first. */
  reasons: readonly Reason[];
  /** Why this run skipped lines, and the columns that it left out. */
  unmapped: readonly Reason[];
  /** Records that this run has sent or refused, without those of the run that it continues. */
  sentNow: number;
};

/** Bounds the memory of the service and of this process: at most 16 MiB are unanswered. */
const limits = { mostRecords: 2_000, mostBytes: 4 * 1_048_576 };
const mostInFlight = 4;
const answerTimeoutMs = 120_000;

/** Thrown by an import that ended early, with the state from which it can continue. */
export class ImportStopped extends Error {
  readonly progress: ImportProgress;

  constructor(progress: ImportProgress, cause: unknown) {
    super('The import stopped early.', { cause });
    this.progress = progress;
  }
}

export async function runImport(options: ImportOptions, context: ImportContext): Promise<ImportSummary> {
  const { kind, path, mappingPath, itemType, encoding } = options;
  const mapping = mappingPath === undefined ? undefined : await loadMapping(mappingPath, kind);
  const format = options.format ?? formatByName(path);
  const plan = await openPlan(options, mapping, format, context);
  const input = await openInput(path, context.signal);
  const { chunks } = input;
  const { note } = context;
  const prepare = options.prepare?.apply;
  const source = await openRows({ chunks, format, kind, mapping, encoding, note, prepare });
  if (!mapping && source.mapping)
    note(`The columns are those of a known source; reading with --mapping ${source.mapping.path}.`);
  await send(source, { kind, itemType, eventIdPrefix: plan.eventIdPrefix }, { context, plan, input });
  if (plan.statePath !== undefined) await removeState(plan.statePath);
  const { progress, reportPath, alreadySent, reasons, unmapped } = plan;
  return { ...progress, reportPath, reasons, unmapped, sentNow: countSent(progress) - alreadySent };
}

/** Standard input is NDJSON. */
function formatByName(path: string): Format {
  const format = path === '-' ? 'ndjson' : formatOf(path);
  if (format) return format;
  throw new Error(`${path}: the name does not tell the format; add --format ${formats.join(', ')}.`);
}

const longestMappingBytes = 1_048_576;

/** @throws Error with one line for each fault: `mapping.yaml:12: items.title: …`. */
async function loadMapping(path: string, kind: RecordKind): Promise<Mapping> {
  const ready = readyMapping(path, kind);
  if (ready) return parseMapping(ready.text, path, kind);
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    throw new Error(`There is no mapping ${path}. Name a file or one of ${readyNames(kind).join(', ')}.`);
  });
  if (text.length > longestMappingBytes)
    throw new Error(`${path} is larger than ${longestMappingBytes} bytes.`);
  return parseMapping(text, path, kind);
}

function countSent({ accepted, refused }: ImportProgress): number {
  return accepted + refused;
}

type Plan = {
  identity: ImportIdentity | undefined;
  /** Undefined for standard input, which cannot be read twice. */
  statePath: string | undefined;
  reportPath: string;
  rejectedPath: string | undefined;
  progress: ImportProgress;
  reasons: Reason[];
  unmapped: Reason[];
  alreadySent: number;
  eventIdPrefix: string;
};

async function openPlan(
  options: ImportOptions,
  mapping: Mapping | undefined,
  format: Format,
  context: ImportContext,
): Promise<Plan> {
  const { path, kind, address, environment } = options;
  const isFile = path !== '-';
  const settings = hashOf([
    mapping?.text ?? '',
    format,
    options.itemType ?? '',
    ...(options.encoding ? [options.encoding] : []),
    ...(options.patch ? ['patch'] : []),
    ...(options.onlyNewer ? ['newer', options.onlyNewer] : []),
    ...(options.prepare ? [options.prepare.name] : []),
  ]);
  const file = isFile ? await identifyFile(path) : undefined;
  const identity = file && { kind, address, environment, file, settings };
  const statePath = isFile && !options.dryRun ? (options.statePath ?? `${path}.import.json`) : undefined;
  const reportPath = options.reportPath ?? `${isFile ? path : 'stdin'}.refused.ndjson`;
  const canResume = options.resume && !options.full;
  const progress =
    identity && statePath ? await findProgress(statePath, identity, canResume, context) : startOfFile;
  const eventIdPrefix = `import:${file ? hashOf([file.hash, settings]) : randomUUID()}:`;
  return {
    identity,
    statePath,
    reportPath,
    rejectedPath: options.rejectedPath,
    progress: { ...progress },
    reasons: [],
    unmapped: [],
    alreadySent: countSent(progress),
    eventIdPrefix,
  };
}

async function findProgress(
  statePath: string,
  identity: ImportIdentity,
  resume: boolean,
  { note }: ImportContext,
): Promise<ImportProgress> {
  const found = resume ? await readState(statePath, identity) : undefined;
  if (found === undefined) return startOfFile;
  if (found === 'other') {
    note(`${statePath} belongs to another import or another state of the file; starting at the first line.`);
    return startOfFile;
  }
  if (found.line > 0) note(`Continuing after line ${found.line}, where the last import was interrupted.`);
  return found;
}

type Run = { context: ImportContext; plan: Plan; input: Input };

type Outputs = { report: LineFile; rejected?: LineFile; heading: OpenedRows['heading']; progress: Progress };

/** A plain table is imported as text, and in UTC, if the caller may not read the environment. */
async function declaredFor(
  { mapping, columns }: OpenedRows,
  { kind }: Pick<OutgoingOptions, 'kind'>,
  { readDeclared }: ImportContext,
): Promise<Declared> {
  if (mapping?.isLenient) return (await readDeclared?.()) ?? {};
  if (!mapping && !columns) return {};
  const declared = await readDeclared?.().catch((error: { reason?: string }) => {
    if (error.reason !== 'SCOPE_MISSING') throw error;
  });
  const { propertyTypes, timeZone } = declared ?? {};
  return { propertyTypes: kind === 'items' ? propertyTypes : undefined, timeZone };
}

async function send(source: OpenedRows, outgoing: Parameters<typeof toOutcomes>[1], run: Run): Promise<void> {
  const { plan, context, input } = run;
  const { reportPath, rejectedPath, statePath } = plan;
  const { reportBytes, rejectedBytes, line } = plan.progress;
  const { heading } = source;
  if (statePath !== undefined) await assertWritable(statePath, '--state');
  if (rejectedPath !== undefined) await assertWritable(rejectedPath, '--rejected');
  const report = await openLineFile(reportPath, reportBytes);
  const rejected =
    rejectedPath && (await openLineFile(rejectedPath, rejectedBytes, rejectedHeading(heading)));
  const call = await context.openCall();
  const declared = await declaredFor(source, outgoing, context);
  const progress = context.createProgress(input.totalBytes);
  const outputs: Outputs = { report, rejected: rejected || undefined, heading, progress };
  try {
    await keepState(plan);
    await sendBatches({
      call,
      batches: groupBatches(toOutcomes(source, { ...outgoing, ...declared }, line), limits),
      toRequest: ({ records }) => context.toRequest(records),
      acknowledge: (batch, answer) => account(batch, answer, run, outputs),
      mostInFlight,
      answerTimeoutMs: context.answerTimeoutMs ?? answerTimeoutMs,
      signal: context.signal,
    });
  } catch (error) {
    throw new ImportStopped(plan.progress, error);
  } finally {
    progress.stop();
  }
}

async function keepState({ identity, statePath, progress }: Plan): Promise<void> {
  if (identity && statePath) await writeState(statePath, identity, progress);
}

/** Writes the report, then the state: see above. */
async function account(
  batch: Batch,
  answer: BatchAnswer | undefined,
  { plan, input, context }: Run,
  { report, rejected, heading, progress: bar }: Outputs,
): Promise<void> {
  const { progress } = plan;
  const refused = allRefused(batch, answer);
  plan.reasons = addReasons(plan.reasons, refused);
  plan.unmapped = addReasons(plan.unmapped, batch.unmapped);
  progress.reportBytes = await report.append(refused.map(toReportLine));
  if (rejected) progress.rejectedBytes = await rejected.append(rejectedLines(refused, heading));
  progress.line = batch.lastLine;
  progress.accepted += answer?.acceptedCount ?? 0;
  progress.refused += refused.length;
  progress.skipped += batch.skippedCount;
  progress.older += answer?.olderCount ?? 0;
  context.onBatch?.(batch);
  await keepState(plan);
  bar.update(input.readBytes(), `${countSent(progress)} records, ${progress.refused} refused`);
}

function toReportLine({ line, faults }: RefusedLine): string {
  return JSON.stringify({ line, errors: faults.map(({ pointer, detail }) => ({ pointer, detail })) });
}

function hashOf(parts: string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32);
}
