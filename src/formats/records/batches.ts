/**
 * Groups records into batches. A batch is one transaction of the service and the unit for resuming
 * an import.
 */

import { byteLengthOf } from './byte-length.ts';
import type { Fault, Outcome } from './outgoing.ts';

export type OutgoingRecord = { line: number; json: string; enabled: boolean | undefined };
export type RefusedLine = { line: number; faults: Fault[] };

export type Batch = {
  records: OutgoingRecord[];
  /** Invalid lines of the batch, which are not sent. */
  refused: RefusedLine[];
  skippedCount: number;
  /** The last line that the batch covers. */
  lastLine: number;
};

export type BatchLimits = { mostRecords: number; mostBytes: number };

/**
 * Unsent lines in a batch. More would delay the resume point of a file with mostly skipped lines.
 */
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
  return { records: [], refused: [], skippedCount: 0, lastLine: 0 };
}

function add(batch: Batch, outcome: Outcome): void {
  batch.lastLine = outcome.line;
  if (outcome.kind === 'record') {
    const { line, json, enabled } = outcome;
    batch.records.push({ line, json, enabled });
  } else if (outcome.kind === 'refused') batch.refused.push({ line: outcome.line, faults: outcome.faults });
  else batch.skippedCount += 1;
}
