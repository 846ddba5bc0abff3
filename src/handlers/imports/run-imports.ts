/** Imports as jobs: each node continues waiting ones, and those of nodes that stopped. */

import { randomUUID } from 'node:crypto';
import { create } from '@bufbuild/protobuf';
import type { Logger } from 'pino';
import { ImportedItemSchema } from '../../../gen/es/personalisation/v1/item_service_pb.js';
import { allRefused, type OutgoingRecord, type RefusedLine } from '../../formats/records/batches.ts';
import type { Format } from '../../formats/records/formats.ts';
import type { Rows } from '../../formats/records/reading/rows.ts';
import { addReasons, type Reason, rejectedLines } from '../../formats/records/rejected.ts';
import { createPeriodic } from '../../ranking/runtime/periodic.ts';
import { isAway } from '../../repository/failures.ts';
import {
  claimImport,
  commitRange,
  endImport,
  forgetImports,
  type ImportCounts,
  readPart,
  returnImport,
  type StoredImport,
} from '../../repository/imports/imports.ts';
import { type ItemImportOptions, storeBatch } from '../items/item-streams.ts';
import { readBatches, UnreadableFile } from './read-batches.ts';

const takeEveryMs = 2_000;
const forgetEveryMs = 60_000;
/** After so many ranges, 1,000 records each, imports with fewer lines read come first. */
const rangesPerTurn = 100;
const mostRecords = 1_000_000;
const mostCauses = 100;
const mostKept = 10_000;
const mostKeptBytes = 8 * 1_048_576;

export type Imports = { start(): void; stop(): Promise<void>; wake(): void };

export type ImportsOptions = ItemImportOptions & {
  /** Identifies this process. */
  node: string;
  served: ReadonlyMap<string, unknown>;
  logger: Logger;
};

export function createImports(options: ImportsOptions): Imports {
  const { db, node, served, logger } = options;
  const environments = [...served.keys()];
  const taker = createPeriodic({
    async work(signal) {
      const claimed = await claimImport(db, environments, `${node} ${randomUUID()}`);
      if (claimed === undefined) return;
      await runImport(options, claimed, signal);
      return 'again';
    },
    pauseMs: takeEveryMs,
    complaint: 'Waiting imports could not be read; trying again.',
    logger,
  });
  const forgetter = createPeriodic({
    async work() {
      for (const name of environments) await forgetImports(db, name);
    },
    pauseMs: forgetEveryMs,
    complaint: 'Old imports could not be erased; trying again.',
    logger,
  });
  return {
    start() {
      taker.start();
      forgetter.start();
    },
    stop: async () => void (await Promise.all([taker.stop(), forgetter.stop()])),
    wake: taker.wake,
  };
}

/** Runs one turn of an import that this node has claimed. A crash in it counts as an attempt. */
async function runImport(options: ImportsOptions, claimed: StoredImport, signal: AbortSignal): Promise<void> {
  const { db, logger } = options;
  const facts = { environment: claimed.environment, import_id: claimed.importId };
  try {
    const outcome = await storeRanges(options, claimed, signal);
    if (outcome === 'end') await endImport(db, claimed);
    if (outcome === 'turn') await returnImport(db, claimed);
  } catch (error) {
    if (signal.aborted || isAway(error)) return await returnImport(db, claimed);
    if (error instanceof UnreadableFile) return await endImport(db, claimed, error.message);
    logger.error({ ...facts, err: error }, 'An import was interrupted.');
  }
}

/** Returns `lost` for an import that was cancelled, or that another node has claimed. */
async function storeRanges(
  options: ImportsOptions,
  claimed: StoredImport,
  signal: AbortSignal,
): Promise<'end' | 'turn' | 'lost'> {
  const { db } = options;
  const { environment, importId, validateOnly: isTrial } = claimed;
  const text = async (part: number) => {
    const content = await readPart(db, importId, part);
    if (content === undefined) throw new UnreadableFile('The file was erased.');
    return content;
  };
  const done = { counts: completeCounts(claimed.counts), causes: claimed.causes as Reason[] };
  let rangeCount = 0;
  for await (const { batch, heading, progress } of readBatches(orderOf(options, claimed), text, signal)) {
    const items = batch.records.map(toImported);
    const answer = items.length > 0 ? await storeBatch(options, { environment, items, isTrial }) : undefined;
    const refused = allRefused(batch, answer);
    done.counts = {
      ...done.counts,
      accepted: done.counts.accepted + (answer?.acceptedCount ?? 0),
      fresh: done.counts.fresh + (answer?.newCount ?? 0),
      rejected: done.counts.rejected + refused.length,
      skipped: done.counts.skipped + batch.skippedCount,
    };
    done.causes = addReasons(done.causes, refused).slice(0, mostCauses);
    const rejected = keep(done.counts, refused, heading);
    const { lastLine } = batch;
    if (!(await commitRange(db, claimed, { ...done, lastLine, progress, heading, rejected }))) return 'lost';
    const { accepted, rejected: rejectedCount, skipped } = done.counts;
    if (accepted + rejectedCount + skipped > mostRecords)
      throw new UnreadableFile(`The file has more than ${mostRecords} records. Use the command line.`);
    rangeCount += 1;
    if (rangeCount === rangesPerTurn) return 'turn';
  }
  return 'end';
}

const completeCounts = (counts: Partial<ImportCounts>): ImportCounts => ({
  ...{ accepted: 0, fresh: 0, rejected: 0, skipped: 0, kept: 0, keptBytes: 0 },
  ...counts,
});

function orderOf({ deployment }: ImportsOptions, claimed: StoredImport) {
  const { format, partCount, mapping, itemType, lastLine, environment } = claimed;
  const { itemTypes, timeZone } = deployment.environments.get(environment)!;
  const properties = Array.from(
    itemTypes,
    ([name, type]) =>
      [name, new Map(Array.from(type.properties, ([key, { type: kind }]) => [key, kind]))] as const,
  );
  return {
    ...{ format: format as Format, partCount, mapping, itemType: itemType ?? undefined, timeZone },
    ...{ properties: new Map(properties), afterLine: lastLine },
  };
}

const toImported = ({ line, json, enabled }: OutgoingRecord) =>
  create(ImportedItemSchema, { line: BigInt(line), form: { case: 'json', value: json }, enabled });

/** Keeps the first rejected records, as lines of a file, and counts them. */
function keep(counts: ImportCounts, refused: readonly RefusedLine[], heading: Rows['heading']) {
  const lines: string[] = [];
  for (const line of rejectedLines(refused, heading)) {
    const bytes = Buffer.byteLength(line);
    if (counts.kept >= mostKept || counts.keptBytes + bytes > mostKeptBytes) break;
    lines.push(line);
    counts.kept += 1;
    counts.keptBytes += bytes;
  }
  return lines.length > 0 ? { through: counts.rejected, records: JSON.stringify(lines) } : undefined;
}
