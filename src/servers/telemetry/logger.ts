/**
 * Structured logs on standard error, one JSON object a line. Lines written during a call carry its `request_id`.
 */

import { type DestinationStream, type Logger, pino } from 'pino';
import type { CallScope } from './call-scope.ts';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

export const logLevels: readonly LogLevel[] = ['debug', 'info', 'warn', 'error', 'silent'];

export type LoggerOptions = {
  /** Finds the running call; lines have no `request_id` without it. */
  scope?: CallScope;
  /** Where lines are written [standard error]. */
  destination?: DestinationStream;
};

export function createLogger(level: LogLevel, { scope, destination }: LoggerOptions = {}): Logger {
  return pino(
    {
      level,
      base: undefined,
      timestamp: pino.stdTimeFunctions.isoTime,
      mixin: scope && requestOf(scope),
      serializers: { err: describe },
    },
    destination ?? pino.destination({ fd: 2, sync: false }),
  );
}

const requestOf = (scope: CallScope) => () => {
  const call = scope.current();
  return call ? { request_id: call.requestId } : {};
};

/** Adds the code and message of the cause: for a failed statement its SQLSTATE and the database's message. */
function describe(error: unknown) {
  const described = pino.stdSerializers.err(error as Error);
  const { cause } = error as { cause?: { code?: unknown; message?: unknown } };
  if (cause?.code === undefined) return described;
  return { ...described, code: cause.code, reason: cause.message };
}
