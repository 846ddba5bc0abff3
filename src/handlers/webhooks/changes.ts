/** Operations of ChangeService: the outbox as lines and as server-sent events. */

import { setTimeout as delay } from 'node:timers/promises';
import { ChangeService } from '../../../gen/es/personalisation/v1/change_service_pb.js';
import { DomainError } from '../../errors.ts';
import { cloudEventOf, formatCursor, parseCursor } from '../../jobs/webhooks/cloud-event.ts';
import {
  changeKinds,
  findChangeEnds,
  findChangeStarts,
  listChanges,
} from '../../repository/changes/changes.ts';
import type { Database } from '../../repository/database.ts';
import { permits } from '../../security/scopes.ts';
import { implement } from '../chain/implement.ts';
import { refuse } from '../chain/refuse.ts';
import { inParts } from '../messages/message-parts.ts';

export type ChangeHandlersOptions = {
  db: Database;
  /** Ends open streams when the node stops. */
  stopping: AbortSignal;
};

const usualLimit = 1_000;
const streamMs = 300_000;
const pauseMs = 500;
/** Pauses without a change between two comments, which keep proxies from closing a stream. */
const pausesPerComment = 30;

/** For callers without the scope of audiences. */
const withoutUsers = changeKinds.filter((kind) => kind !== 'interest.matched');

/** Open streams of a node, each of which reads the ends of the outbox twice a second. */
const mostStreams = 50;

export function createChangeHandlers({ db, stopping }: ChangeHandlersOptions) {
  let streams = 0;
  async function* stream(...reading: Parameters<typeof follow>) {
    if (streams >= mostStreams)
      throw new DomainError(
        'UNAVAILABLE',
        `This node has ${mostStreams} streams of changes open; try again.`,
      );
    streams += 1;
    try {
      yield* follow(...reading);
    } finally {
      streams -= 1;
    }
  }
  return implement(ChangeService, {
    async *listChanges(requests, { caller, signal }) {
      for await (const { environment, after, limit = usualLimit, format } of requests) {
        const until = signal ? AbortSignal.any([signal, stopping]) : stopping;
        const position = await startOf(db, after);
        const mayReadUsers = permits(caller?.scopes ?? [], 'audiences', environment, 'read');
        const reading = { environment, kinds: mayReadUsers ? [] : withoutUsers, position, until };
        if (format !== 'sse') yield* linesOf(readChanges(db, { ...reading, limit }), false);
        else yield* stream(db, reading);
      }
    },
  });
}

async function startOf(db: Database, after: string): Promise<number[]> {
  const ends = await findChangeEnds(db);
  if (after === '') return findChangeStarts(db);
  const position = after === 'latest' ? ends : parseCursor(after, ends);
  if (!position) refuse([{ pointer: 'query:after', detail: 'Must be the cursor of a change, or latest.' }]);
  return position!;
}

type Reading = {
  environment: string;
  kinds: readonly string[];
  position: number[];
  limit: number;
  until: AbortSignal;
};

/** Yields changes as CloudEvents with their cursors, bucket by bucket, and moves the position. */
async function* readChanges(db: Database, { environment, kinds, position, limit, until }: Reading) {
  let left = limit;
  for (const [bucket, end] of (await findChangeEnds(db)).entries()) {
    while (position[bucket] < end && left > 0 && !until.aborted) {
      const page = { environment, kinds, bucket, sinceNumber: position[bucket], end };
      const { changes, reached, lostUntil } = await listChanges(db, page);
      if (lostUntil !== undefined) refuseOld();
      const events = changes.slice(0, left).map((change) => {
        position[bucket] = change.number;
        return { event: cloudEventOf(change, position), cursor: formatCursor(position) };
      });
      yield events;
      left -= events.length;
      if (left > 0) position[bucket] = reached;
    }
  }
}

function refuseOld(): never {
  const detail =
    'Changes after this cursor are not kept any more. Read the items again, then continue without it.';
  refuse([{ pointer: 'query:after', detail }]);
  throw new Error(detail);
}

async function* linesOf(pages: ReturnType<typeof readChanges>, isEventStream: boolean) {
  for await (const page of pages) {
    const texts = page.map(({ event, cursor }) =>
      isEventStream ? `id: ${cursor}\ndata: ${event}\n` : event,
    );
    for (const lines of inParts(texts, (text) => text.length)) yield { lines };
  }
}

/** Repeats until the reader leaves, the node stops, or five minutes have passed. */
async function* follow(db: Database, reading: Omit<Reading, 'limit'>) {
  const endMs = performance.now() + streamMs;
  yield { lines: [`retry: 1000\n`] };
  for (let pauses = 0; performance.now() < endMs && !reading.until.aborted; pauses += 1) {
    if (pauses % pausesPerComment === pausesPerComment - 1) yield { lines: [':\n'] };
    yield* linesOf(readChanges(db, { ...reading, limit: Number.POSITIVE_INFINITY }), true);
    await delay(pauseMs, undefined, { signal: reading.until, ref: false }).catch(() => undefined);
  }
}
