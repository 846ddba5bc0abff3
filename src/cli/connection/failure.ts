/** Failures as text: the service's reason, its message, and one line for each violation; never a stack trace. */

import type { PersonalisationError } from '../../../clients/node/src/errors.ts';

export type Failure = {
  /** A name of error_reason.proto; undefined when the answer is not the service's own. */
  reason?: string;
  message: string;
  violations: readonly { pointer: string; detail: string }[];
  /** How long the service asks to wait before the next attempt. */
  retryAfterMs?: number;
};

/** A failure read from a problem document, or found before anything is sent. */
export class ServiceFailure extends Error implements Failure {
  readonly reason: string | undefined;
  readonly violations: Failure['violations'];
  readonly retryAfterMs: number | undefined;

  constructor({ reason, message, violations, retryAfterMs }: Failure) {
    super(message);
    this.reason = reason;
    this.violations = violations;
    this.retryAfterMs = retryAfterMs;
  }
}

/** Adds the source of the credentials to an error that refuses them; returns any other error unchanged. */
export function withSource(error: unknown, source: string): unknown {
  const { reason, message, violations } = readFailure(error);
  if (reason !== 'CLIENT_INVALID') return error;
  return new ServiceFailure({
    reason,
    message: `${message} The credentials are from ${source}.`,
    violations,
  });
}

/** Returns the message, and one more line for each violation that the message does not contain. */
export function describeFailure(error: unknown): string {
  const { reason, message, violations } = readFailure(error);
  const details = violations.map(({ pointer, detail }) => `${pointer || '(whole)'}: ${detail}`);
  const lines = details.filter((detail) => detail !== message).map((detail) => `  ${detail}`);
  return [reason ? `${reason}: ${message}` : message, ...lines].join('\n');
}

function readFailure(error: unknown): Failure {
  if (error instanceof ServiceFailure) return error;
  if (!isClientError(error)) return { message: describeError(error), violations: [] };
  if (error.requestId !== undefined) return error;
  /** Without a request ID, the answer comes from a proxy, the network or the client's own clock. */
  const { message, reason } = error;
  const isLost = reason === 'UNAVAILABLE';
  return {
    message: isLost ? `The service cannot be reached: ${message.replace(/\.$/, '')}.` : message,
    violations: [],
  };
}

/** By name: loading the class takes longer than most commands that never see one. */
function isClientError(error: unknown): error is PersonalisationError {
  return error instanceof Error && error.name === 'PersonalisationError';
}

/** Faults of files by error code of the system. */
export const fileFaults: Record<string, string> = {
  ENOENT: 'there is no such file or folder',
  EACCES: 'it may not be opened by this user',
  EISDIR: 'it is a folder, not a file',
  ENOTDIR: 'a part of the path is a file, not a folder',
  EEXIST: 'it is there already',
  ENOSPC: 'the disk is full',
  EROFS: 'its file system is read-only',
};

/** Describes an error of this process: its message, the file that failed, or the database's own words. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code, path } = error as NodeJS.ErrnoException;
  const fault = code === undefined ? undefined : fileFaults[code];
  if (path !== undefined && fault !== undefined) return `${path}: ${fault}.`;
  return `${error.message}${describeSqlCause(error.cause)}`;
}

const sqlState = /^[0-9A-Z]{5}$/;

function describeSqlCause(cause: unknown): string {
  if (!(cause instanceof Error)) return '';
  const { code } = cause as { code?: unknown };
  if (typeof code !== 'string' || !sqlState.test(code)) return '';
  return ` (SQLSTATE ${code}: ${cause.message})`;
}
