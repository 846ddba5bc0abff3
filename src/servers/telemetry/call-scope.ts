/** The call that the running code belongs to, across awaits. For log lines and spans only, never for decisions. */

import { AsyncLocalStorage } from 'node:async_hooks';
import type { Span } from './tracer.ts';

export type CallInScope = {
  requestId: string;
  /** Absent when the call is not traced. */
  span?: Span;
};

export type CallScope = {
  run<T>(call: CallInScope, work: () => T): T;
  current(): CallInScope | undefined;
};

export function createCallScope(): CallScope {
  const storage = new AsyncLocalStorage<CallInScope>();
  return {
    run: (call, work) => storage.run(call, work),
    current: () => storage.getStore(),
  };
}

/** Runs a named part of a call, with a span when the call is traced. */
export type Step = <T>(name: string, work: () => T) => T;

export function createStep(scope: CallScope): Step {
  return (name, work) => {
    const call = scope.current();
    if (call?.span === undefined) return work();
    const span = call.span.startChild(name);
    try {
      const result = work();
      if (!(result instanceof Promise)) {
        span.end();
        return result;
      }
      return result.then(...endOf(span)) as typeof result;
    } catch (error) {
      span.end('failed');
      throw error;
    }
  };
}

function endOf(span: Span) {
  return [
    (value: unknown) => {
      span.end();
      return value;
    },
    (error: unknown) => {
      span.end('failed');
      throw error;
    },
  ] as const;
}
