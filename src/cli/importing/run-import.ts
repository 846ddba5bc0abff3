/**
 * One import: input → rows → records → batches → the service, with state file and report.
 *
 * The report is written after the service's answer, and the state after the report. Whenever the process dies, everything
 * that the state counts is stored. Everything else is sent again, which has no further effect: items replace themselves and
 * events have IDs.
 */

import { createHash, randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { type Batch, groupBatches, type OutgoingRecord } from '../../formats/records/batches.ts';
import { defaultFields } from '../../formats/records/mapping/default-fields.ts';
import {
  checkColumns,
  type Mapping,
  parseMapping,
  type RecordKind,
} from '../../formats/records/mapping/mapping.ts';
import { type OutgoingOptions, toOutcome } from '../../formats/records/outgoing.ts';
import { readLines } from '../../formats/records/reading/lines.ts';
import { type Rows, readDelimitedRows, readJsonRows } from '../../formats/records/reading/rows.ts';
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
import { type Format, formatOf, type Input, openInput } from './input.ts';
import { openRefusalReport, type RefusalReport } from './refusal-report.ts';
import { type BatchAnswer, type BatchCall, sendBatches } from './send-batches.ts';

export type ImportOptions = {
  kind: RecordKind;
  /** A file, or `-` for standard input. */
  path: string;
  environment: string;
  /** Address of the service; an interrupted import continues only there. */
  address: string;
  format?: Format;
  mappingPath?: string;
  itemType?: string;
  /** Default: beside the input. */
  reportPath?: string;
  statePath?: string;
  /** False starts at the first line in any case. */
  resume: boolean;
  /** Records are changes of stored items. */
  patch?: boolean;
};

export type ImportContext = {
  /** Connects; called after all checks that need no connection. */
  openCall(): Promise<BatchCall>;
  /** Converts a batch to a request of the call. */
  toRequest(records: OutgoingRecord[]): unknown;
  createProgress(totalBytes: number | undefined): Progress;
  note(sentence: string): void;
  signal: AbortSignal;
  /** Longest time for the answer to a batch [120,000]. */
  answerTimeoutMs?: number;
};

export type ImportSummary = ImportProgress & {
  reportPath: string;
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
  const { kind, path, mappingPath, itemType } = options;
  const mapping = mappingPath === undefined ? undefined : await loadMapping(mappingPath, kind);
  const format = options.format ?? formatOf(path);
  const plan = await openPlan(options, mapping, format, context);
  const input = await openInput(path, context.signal);
  const source = await openRows(input, format, mapping, plan.progress.line);
  if (mapping && source.columns) checkColumns(mapping, source.columns);
  const outgoing: OutgoingOptions = {
    kind,
    fields: mapping?.fields ?? (source.columns && defaultFields(source.columns, kind)),
    skip: mapping?.skip,
    itemType,
    eventIdPrefix: plan.eventIdPrefix,
  };
  await send(source.rows, outgoing, { context, plan, input });
  if (plan.statePath !== undefined) await removeState(plan.statePath);
  const { progress, reportPath, alreadySent } = plan;
  return { ...progress, reportPath, sentNow: countSent(progress) - alreadySent };
}

const longestMappingBytes = 1_048_576;

/** @throws Error with one line for each fault: `mapping.yaml:12: items.title: …`. */
async function loadMapping(path: string, kind: RecordKind): Promise<Mapping> {
  const text = await readFile(path, 'utf8');
  if (text.length > longestMappingBytes)
    throw new Error(`${path} is larger than ${longestMappingBytes} bytes.`);
  return parseMapping(text, path, kind);
}

function countSent({ accepted, refused }: ImportProgress): number {
  return accepted + refused;
}

/** The state of a run. */
type Plan = {
  identity: ImportIdentity | undefined;
  /** Undefined for standard input, which cannot be read twice. */
  statePath: string | undefined;
  reportPath: string;
  progress: ImportProgress;
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
    ...(options.patch ? ['patch'] : []),
  ]);
  const file = isFile ? await identifyFile(path) : undefined;
  const identity = file && { kind, address, environment, file, settings };
  const statePath = isFile ? (options.statePath ?? `${path}.import.json`) : undefined;
  const reportPath = options.reportPath ?? `${isFile ? path : 'stdin'}.refused.ndjson`;
  const progress = identity ? await findProgress(statePath!, identity, options.resume, context) : startOfFile;
  const eventIdPrefix = `import:${file ? hashOf([file.hash, settings]) : randomUUID()}:`;
  return {
    identity,
    statePath,
    reportPath,
    progress: { ...progress },
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

function openRows(
  { chunks }: Input,
  format: Format,
  mapping: Mapping | undefined,
  afterLine: number,
): Rows | Promise<Rows> {
  const lines = readLines(chunks);
  if (format === 'ndjson') return readJsonRows(lines, afterLine);
  return readDelimitedRows(lines, mapping?.delimiter ?? (format === 'tsv' ? '\t' : undefined), afterLine);
}

type Run = { context: ImportContext; plan: Plan; input: Input };

async function send(rows: Rows['rows'], outgoing: OutgoingOptions, run: Run): Promise<void> {
  const { plan, context, input } = run;
  if (plan.statePath !== undefined) await assertWritable(plan.statePath, '--state');
  const report = await openRefusalReport(plan.reportPath, plan.progress.reportBytes);
  const call = await context.openCall();
  const progress = context.createProgress(input.totalBytes);
  async function* outcomes() {
    for await (const row of rows) yield toOutcome(row, outgoing);
  }
  try {
    await keepState(plan);
    await sendBatches({
      call,
      batches: groupBatches(outcomes(), limits),
      toRequest: ({ records }) => context.toRequest(records),
      acknowledge: (batch, answer) => account(batch, answer, run, { report, progress }),
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
  if (identity) await writeState(statePath!, identity, progress);
}

/** Writes the report, then the state: see above. */
async function account(
  batch: Batch,
  answer: BatchAnswer | undefined,
  { plan, input }: Run,
  outputs: { report: RefusalReport; progress: Progress },
): Promise<void> {
  const { progress } = plan;
  const refused = [
    ...batch.refused,
    ...(answer?.refused ?? []).map(({ line, details }) => ({ line: Number(line), faults: [...details] })),
  ].sort((a, b) => a.line - b.line);
  progress.reportBytes = await outputs.report.append(refused);
  progress.line = batch.lastLine;
  progress.accepted += answer?.acceptedCount ?? 0;
  progress.refused += refused.length;
  progress.skipped += batch.skippedCount;
  await keepState(plan);
  const counts = `${countSent(progress)} records, ${progress.refused} refused`;
  outputs.progress.update(input.readBytes(), counts);
}

function hashOf(parts: string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32);
}
