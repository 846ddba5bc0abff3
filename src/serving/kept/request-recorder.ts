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
  forgetting?.add((isGone) => {
    for (const [environment, sample] of held)
      held.set(
        environment,
        sample.filter(({ request }) => !isGoneFor(isGone, environment, whoAsked(request))),
      );
  });

  const write = async () => {
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
      const sample = held.get(environment);
      if (sample && sample.length >= mostPerFlush) return;
      const recorded = { environment, request: body() };
      if (sample) sample.push(recorded);
      else held.set(environment, [recorded]);
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
