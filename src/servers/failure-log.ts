/** Logs failed calls: internal errors with their cause, overloads at intervals, callers' mistakes at debug level. */

import type { Logger } from 'pino';
import type { DomainError } from '../errors.ts';
import type { Call } from '../handlers/chain/call.ts';
import { createCache } from '../ranking/runtime/cache.ts';

export type FailedCall = { operation: string; call: Pick<Call, 'requestId' | 'transport'> };

export type FailureLog = (error: DomainError, failed: FailedCall) => void;

/** An overload or an unreachable database refuses thousands of calls a second for one reason. */
const repeatIntervalMs = 1_000;

/** Memory for some 8,000 kinds of refusals. There are few, unless messages quote requests. */
const maxBytes = 512 * 1024;
const bytesPerKind = 64;

export function createFailureLog(logger: Logger, now: () => number = Date.now): FailureLog {
  /** By operation and message. */
  const refusals = createCache<{ loggedAtMs: number; skipped: number }>({
    maxBytes,
    bytesOf: () => bytesPerKind,
  });

  /** Returns how many refusals were skipped since the last line; undefined to skip this one too. */
  const countSkipped = (key: string): number | undefined => {
    const last = refusals.get(key);
    if (last !== undefined && now() - last.loggedAtMs < repeatIntervalMs) {
      last.skipped += 1;
      return undefined;
    }
    refusals.set(key, { loggedAtMs: now(), skipped: 0 });
    return last?.skipped ?? 0;
  };

  return (error, { operation, call: { requestId, transport } }) => {
    const { reason, message } = error;
    const facts = { operation, request_id: requestId, transport, reason };
    if (reason === 'INTERNAL') logger.error({ ...facts, err: error.cause ?? error }, message);
    else if (reason !== 'UNAVAILABLE') logger.debug(facts, message);
    else {
      const others = countSkipped(`${operation} ${message}`);
      if (others !== undefined) logger.error({ ...facts, ...causeOf(error), others }, message);
    }
  };
}

/** Returns the cause without its stack, which is the same for all refusals. */
function causeOf({ cause }: DomainError): object {
  if (cause === undefined) return {};
  const { code, message } = cause as { code?: unknown; message?: unknown };
  return { cause: message, ...(code !== undefined && { code }) };
}
