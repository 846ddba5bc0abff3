/** Import that continues while the user visits other pages. One at a time. */

import { createClient } from '@connectrpc/connect';
import { useSyncExternalStore } from 'react';
import { CatalogueService } from '../../../../gen/es/personalisation/v1/catalogue_service_pb.js';
import {
  allRefused,
  groupBatches,
  type OutgoingRecord,
  type RefusedLine,
} from '../../../formats/records/batches.ts';
import { parseMapping } from '../../../formats/records/mapping/mapping.ts';
import { toOutcomes } from '../../../formats/records/open-records.ts';
import type { OutgoingOptions } from '../../../formats/records/outgoing.ts';
import {
  addReasons,
  type Reason,
  rejectedHeading,
  rejectedLines,
} from '../../../formats/records/rejected.ts';
import type { Connection } from '../../service/transport.ts';
import type { Choices } from './choices.ts';
import { openFile } from './read-file.ts';

export type Job = {
  environment: string;
  file: File;
  /** Undefined for the detected one. */
  encoding?: string;
  /** Mapping file; empty if records already have the documented format. */
  mapping: string;
  /** Choices behind the mapping, restored when the user returns to the page. */
  choices: Choices;
  isDeclared: OutgoingOptions['isDeclared'];
  /** IANA zone of times without an offset. */
  timeZone: string;
  /** Dry run: stores nothing. */
  isTrial: boolean;
  state: 'running' | 'done' | 'stopped' | 'failed';
  readBytes: number;
  acceptedCount: number;
  newCount: number;
  refusedCount: number;
  /** The first refused lines. */
  refused: RefusedLine[];
  /** The same lines as they were sent, with their reasons; a CSV file begins with its header. */
  rejected: string[];
  reasons: readonly Reason[];
  /** Last line that the service has confirmed. */
  lastLine: number;
  error?: Error;
};

export type Order = Pick<
  Job,
  'environment' | 'file' | 'encoding' | 'mapping' | 'choices' | 'isDeclared' | 'timeZone' | 'isTrial'
>;

const limits = { mostRecords: 1_000, mostBytes: 2 * 1_048_576 };
const mostRefusedKept = 1_000;

let job: Job | undefined;
/** Run of the job. A dropped run ends at its next answer and reports nothing. */
let run: { isStopping: boolean } | undefined;
const listeners = new Set<() => void>();

function change(next: Job | undefined): void {
  job = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const useJob = (): Job | undefined => useSyncExternalStore(subscribe, () => job);

export const forgetJob = (): void => {
  if (job?.state !== 'running') change(undefined);
};

export const stopJob = (): void => {
  if (run) run.isStopping = true;
};

/** Stops and forgets the job. */
export const dropJob = (): void => {
  stopJob();
  run = undefined;
  change(undefined);
};

/** @param from Stopped or failed job to resume after its last line. */
export async function runJob(connection: Connection, order: Order, from?: Job): Promise<void> {
  if (job?.state === 'running') return;
  const counts = { readBytes: 0, acceptedCount: 0, newCount: 0, refusedCount: 0, lastLine: 0 };
  const lists = { refused: [], rejected: [], reasons: [] };
  const own = { isStopping: false };
  run = own;
  change({
    ...(from ?? { ...counts, ...lists }),
    ...order,
    readBytes: 0,
    state: 'running',
    error: undefined,
  });
  try {
    await sendAll(connection, own);
    if (run === own) change({ ...job!, state: own.isStopping ? 'stopped' : 'done' });
  } catch (error) {
    if (run === own) change({ ...job!, state: 'failed', error: error as Error });
  }
}

async function sendAll({ transport }: Connection, own: { isStopping: boolean }): Promise<void> {
  const { file, encoding, mapping: text, lastLine, environment, timeZone, isTrial } = job!;
  const mapping = text === '' ? undefined : parseMapping(text, 'mapping', 'items');
  let readBytes = 0;
  const opened = await openFile(file, { mapping, encoding }, (count) => {
    readBytes += count;
  });
  const isDeclared = mapping?.isLenient ? job!.isDeclared : undefined;
  const options = { kind: 'items' as const, itemType: undefined, eventIdPrefix: '', isDeclared, timeZone };
  const { heading } = opened;
  const client = createClient(CatalogueService, transport);
  for await (const batch of groupBatches(toOutcomes(opened, options, lastLine), limits)) {
    if (own.isStopping) return;
    const items = batch.records.map(toItem);
    const request = { environment, items, validateOnly: isTrial };
    const answer = items.length > 0 ? await client.putItems(request) : undefined;
    if (run !== own) return;
    const refused = allRefused(batch, answer);
    const before = job!;
    change({
      ...before,
      readBytes,
      acceptedCount: before.acceptedCount + (answer?.acceptedCount ?? 0),
      newCount: before.newCount + (answer?.newCount ?? 0),
      refusedCount: before.refusedCount + refused.length,
      refused: [...before.refused, ...refused].slice(0, mostRefusedKept),
      rejected: [
        ...(before.rejected.length === 0 ? [rejectedHeading(heading) ?? []].flat() : before.rejected),
        ...rejectedLines(refused, heading),
      ].slice(0, mostRefusedKept + 1),
      reasons: addReasons(before.reasons, refused),
      lastLine: batch.lastLine,
    });
  }
}

const toItem = ({ line, json, enabled }: OutgoingRecord) => ({
  line: BigInt(line),
  form: { case: 'json' as const, value: json },
  enabled,
});
