/** Structured logs on standard error, one JSON object a line; standard output is for what a person or a pipe reads. */

import { type Logger, pino } from 'pino';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

export const logLevels: readonly LogLevel[] = ['debug', 'info', 'warn', 'error', 'silent'];

export function createLogger(level: LogLevel): Logger {
  return pino(
    { level, base: undefined, timestamp: pino.stdTimeFunctions.isoTime },
    pino.destination({ fd: 2, sync: false }),
  );
}
