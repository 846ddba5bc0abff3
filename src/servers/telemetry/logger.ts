/**
 * Structured logs on standard error, one JSON object a line; standard output is for what a person or a pipe reads.
 *
 * Every line that is written during a call carries the call's `request_id`.
 */

import { type DestinationStream, type Logger, pino } from 'pino';
import type { CallScope } from './call-scope.ts';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

export const logLevels: readonly LogLevel[] = ['debug', 'info', 'warn', 'error', 'silent'];

export type LoggerOptions = {
  /** Where the running call is found; without it lines carry what is logged with them. */
  scope?: CallScope;
  /** Standard error when absent. */
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

/** With the code and the words of what caused it: of a refused statement that is its SQLSTATE and the database's message. */
function describe(error: unknown) {
  const described = pino.stdSerializers.err(error as Error);
  const { cause } = error as { cause?: { code?: unknown; message?: unknown } };
  if (cause?.code === undefined) return described;
  return { ...described, code: cause.code, reason: cause.message };
}
