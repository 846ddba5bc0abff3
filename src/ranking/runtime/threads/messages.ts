/** What a pool and its threads say to each other: several messages at a time, taken in their order. */

import { DomainError, type DomainErrorOptions, type ErrorReason } from '../../../errors.ts';

/** News change what a thread knows; tasks are answered by it. */
export type ToThread<Task, News> =
  /** Comes first: see cancelled-tasks.ts. */
  | { kind: 'cancellations'; cells: SharedArrayBuffer }
  | { kind: 'news'; news: News }
  | { kind: 'task'; taskId: number; task: Task };

export type FromThread<Result, Remark> =
  /** It knows what it needs for tasks. */
  | { kind: 'ready' }
  | { kind: 'done'; taskId: number; result: Result }
  | { kind: 'failed'; taskId: number; failure: Failure }
  | { kind: 'remark'; remark: Remark };

/** An error as it crosses from one thread to another: of ours with all it says, of others with their stack. */
export type Failure = { message: string; stack?: string; reason?: ErrorReason } & Omit<
  DomainErrorOptions,
  'cause'
>;

export function failureOf(error: unknown): Failure {
  if (error instanceof DomainError) {
    const { message, reason, metadata, violations } = error;
    return { message, reason, metadata, violations };
  }
  return error instanceof Error ? { message: error.message, stack: error.stack } : { message: String(error) };
}

export function errorOf({ message, stack, reason, metadata, violations }: Failure): Error {
  if (reason !== undefined) return new DomainError(reason, message, { metadata, violations });
  return Object.assign(new Error(message), { stack });
}
