/**
 * Records a sample of real requests for simulations: a few a second, written in batches without
 * delaying a request. A sample that cannot be written is dropped.
 */

import type { Logger } from 'pino';
import { type HoldingPeople, isGoneFor } from '../ranking/runtime/forgetting.ts';
import { createPeriodic } from '../ranking/runtime/periodic.ts';
import type { Database } from '../repository/database.ts';
import {
  deleteOldRecordedRequests,
  insertRecordedRequests,
  type RecordedRequest,
} from '../repository/kept/recorded-requests.ts';

const flushIntervalMs = 1_000;

/**
 * Requests sampled per environment and flush, so the thousand kept of a busy site span minutes; as
 * many more with explored lists.
 */
const mostPerFlush = 10;

/** Maximum size of a request as JSON; larger ones are not recorded. */
export const mostRecordedBytes = 32_768;

export type RequestRecorder = {
  /**
   * Records the request if the sample has capacity; calls `body` only then.
   * @param explored Its explored lists: a JSON value.
   */
  record(environment: string, body: () => unknown, explored?: unknown): void;
  /** Writes the waiting requests, so a simulation sees the latest ones of this node. */
  flush(): Promise<void>;
  start(): void;
  stop(): Promise<void>;
};

export type RequestRecorderOptions = Partial<HoldingPeople> & { db: Database; logger: Logger };

export function createRequestRecorder(options: RequestRecorderOptions): RequestRecorder {
  const { db, logger, forgetting, forgetDeleted } = options;
  let held = new Map<string, RecordedRequest[]>();
  /** Requests sampled since the last flush, by environment and sample; names have no space. */
  const counts = new Map<string, number>();
  forgetting?.add((isGone) => {
    for (const [environment, sample] of held)
      held.set(
        environment,
        sample.filter(({ request }) => !isGoneFor(isGone, environment, subjectOf(request))),
      );
  });

  const write = async () => {
    counts.clear();
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
    record(environment, body, explored) {
      const sample = explored === undefined ? environment : `${environment} explored`;
      const count = counts.get(sample) ?? 0;
      if (count >= mostPerFlush) return;
      counts.set(sample, count + 1);
      const request = body();
      const isLong = (value: unknown) => JSON.stringify(value).length > mostRecordedBytes;
      if (isLong(request) || (explored !== undefined && isLong(explored))) return;
      held.set(environment, [...(held.get(environment) ?? []), { environment, request, explored }]);
    },
    flush: writing.run,
    start: writing.start,
    stop: writing.stop,
  };
}

function subjectOf(request: unknown) {
  const { user_id: userId, device_id: deviceId } = request as { user_id?: string; device_id?: string };
  return { userId, deviceId };
}
