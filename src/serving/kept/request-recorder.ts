/**
 * Keeps a sample of real requests for simulations: a few a second, written together now and then, never in a request's way.
 * A sample that cannot be written is dropped.
 */

import type { Logger } from 'pino';
import { createPeriodic } from '../../periodic.ts';
import type { Database } from '../../repository/database.ts';
import { type HoldingPeople, isGoneFor } from '../../repository/forgetting.ts';
import {
  deleteOldRecordedRequests,
  insertRecordedRequests,
  type RecordedRequest,
} from '../../repository/kept/recorded-requests.ts';

const flushIntervalMs = 1_000;

/** Per environment and flush; so a busy site's thousand kept requests span minutes. */
const mostPerFlush = 10;

/** Bytes of a request's JSON; a longer one is left out of the sample, so that nobody can fill the database with them. */
const longestRequest = 32_768;

export type RequestRecorder = {
  /** Keeps the request when the sample has room; `body` is only called then. */
  record(environment: string, body: () => unknown): void;
  /** Writes what is held back, so that a simulation sees the latest requests of this node. */
  flush(): Promise<void>;
  start(): void;
  stop(): Promise<void>;
};

export type RequestRecorderOptions = Partial<HoldingPeople> & { db: Database; logger: Logger };

export function createRequestRecorder(options: RequestRecorderOptions): RequestRecorder {
  const { db, logger, forgetting, forgetDeleted } = options;
  let held = new Map<string, RecordedRequest[]>();
  /** Requests that were looked at since the last flush, by environment: a long one costs its place, too. */
  let lookedAt = new Map<string, number>();
  forgetting?.add((isGone) => {
    for (const [environment, sample] of held)
      held.set(
        environment,
        sample.filter(({ request }) => !isGoneFor(isGone, environment, whoAsked(request))),
      );
  });

  const write = async () => {
    lookedAt = new Map();
    if (held.size === 0) return;
    await forgetDeleted?.();
    const batch = held;
    held = new Map();
    await insertRecordedRequests(db, [...batch.values()].flat());
    for (const environment of batch.keys()) await deleteOldRecordedRequests(db, environment);
  };
  const writing = createPeriodic({
    work: write,
    pauseMs: flushIntervalMs,
    runsAtStop: true,
    complaint: 'A sample of requests could not be kept for simulations.',
    logger,
  });

  return {
    record(environment, body) {
      const sample = held.get(environment) ?? [];
      const looks = lookedAt.get(environment) ?? 0;
      if (sample.length >= mostPerFlush || looks >= mostPerFlush) return;
      lookedAt.set(environment, looks + 1);
      const request = body();
      if (Buffer.byteLength(JSON.stringify(request)) > longestRequest) return;
      held.set(environment, [...sample, { environment, request }]);
    },
    flush: writing.run,
    start: writing.start,
    stop: writing.stop,
  };
}

function whoAsked(request: unknown) {
  const { user_id: userId, device_id: deviceId } = request as { user_id?: string; device_id?: string };
  return { userId, deviceId };
}
