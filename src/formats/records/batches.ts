/** Groups records into batches: transactions of the service, and units for resuming. */

import { pointerStep } from '../../errors.ts';
import { byteLengthOf } from './byte-length.ts';
import type { Fault, Outcome } from './outgoing.ts';

/** `text` is the line as it was sent, `key` its item. */
type SentLine = { line: number; text: string; key?: string };
export type OutgoingRecord = SentLine & { json: string; enabled: boolean | undefined; leftOut?: string[] };
export type RefusedLine = SentLine & { faults: Fault[] };

export type Batch = {
  records: OutgoingRecord[];
  /** Invalid lines of the batch, which are not sent. */
  refused: RefusedLine[];
  skippedCount: number;
  /** Why lines are skipped, and columns that records leave out. */
  unmapped: { line: number; faults: Fault[] }[];
  /** The last line that the batch covers. */
  lastLine: number;
};

export type BatchLimits = { mostRecords: number; mostBytes: number };

/** Unsent lines in a batch; more would delay the resume point of a mostly skipped file. */
const mostUnsent = 20_000;

export async function* groupBatches(
  outcomes: AsyncIterable<Outcome>,
  { mostRecords, mostBytes }: BatchLimits,
): AsyncGenerator<Batch> {
  let batch = emptyBatch();
  let bytes = 0;
  for await (const outcome of outcomes) {
    const size = outcome.kind === 'record' ? byteLengthOf(outcome.json) : 0;
    const unsentCount = batch.refused.length + batch.skippedCount;
    const isFull =
      batch.records.length >= mostRecords || bytes + size > mostBytes || unsentCount >= mostUnsent;
    if (isFull && batch.lastLine > 0) {
      /** A line of several records may end in the next batch. */
      batch.lastLine = Math.min(batch.lastLine, outcome.line - 1);
      yield batch;
      batch = emptyBatch();
      bytes = 0;
    }
    add(batch, outcome);
    bytes += size;
  }
  if (batch.lastLine > 0) yield batch;
}

function emptyBatch(): Batch {
  return { records: [], refused: [], skippedCount: 0, unmapped: [], lastLine: 0 };
}

function add(batch: Batch, outcome: Outcome): void {
  const { kind: _, ...one } = outcome;
  batch.lastLine = one.line;
  if ('json' in one) batch.records.push(one);
  else if ('faults' in one) batch.refused.push(one);
  else batch.skippedCount += 1;
  const faults = unmappedParts(outcome);
  if (faults.length > 0) batch.unmapped.push({ line: outcome.line, faults });
}

function unmappedParts(outcome: Outcome): Fault[] {
  if (outcome.kind === 'skipped') return [{ pointer: '', detail: `Skipped: ${outcome.reason}.` }];
  const leftOut = outcome.kind === 'record' ? (outcome.leftOut ?? []) : [];
  return leftOut.map((name) => ({ pointer: pointerStep(name), detail: 'Left out.' }));
}

type Refusal = { line: bigint; details: readonly Fault[] };

/** Returns the lines of a batch that are refused, by the file and by the service, in order. */
export function allRefused(batch: Batch, answer: { refused: readonly Refusal[] } | undefined): RefusedLine[] {
  const texts = new Map(batch.records.map(({ line, text }) => [line, text]));
  const byService = (answer?.refused ?? []).map(({ line, details }) => ({
    line: Number(line),
    faults: [...details],
    text: texts.get(Number(line)) ?? '',
  }));
  return [...batch.refused, ...byService].sort((a, b) => a.line - b.line);
}
