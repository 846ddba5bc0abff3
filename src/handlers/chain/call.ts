/** Properties of a call besides its request message, for every transport. */

import type { Violation } from '../../errors.ts';
import type { Stage } from '../../ranking/lists/stages.ts';
import type { CallCredentials } from '../../security/caller.ts';
import type { LimitedCall } from '../../security/rate-limits.ts';
import type { Reach } from '../../security/scopes.ts';

export type Transport = 'http' | 'connect' | 'grpc' | 'mcp';

export type Observation = {
  /** Runs a part of the call, so that its log lines and spans belong to it. */
  run<T>(work: () => T): T;
  enter(environment: string): void;
  /** Ends the call, once. @param outcome Reason of a failure; absent for success. */
  end(operation: string, outcome?: string): void;
};

/** Starts observing a call. `traceparent` is the caller's header or metadata entry. */
export type Observer = {
  begin(call: { transport: Transport; requestId: string; traceparent?: string }): Observation;
};

export const unobserved: Observer = {
  begin: () => ({ run: (work) => work(), enter: () => undefined, end: () => undefined }),
};

export type Call = CallCredentials &
  LimitedCall & {
    transport: Transport;
    /** Unique; part of every log line and error of the call. */
    requestId: string;
    userAgent?: string;
    /** Whether the caller sends Global Privacy Control (`Sec-GPC: 1`). */
    refusesProfiling?: boolean;
    /** Time by `performance.now()` at which the caller stops waiting [no limit]. */
    deadlineMs?: number;
    /** Aborted when the caller disconnects or its deadline passes. Set by the transports. */
    signal?: AbortSignal;
    /** Maximum bytes of a unary answer [no limit]. Set by the transports. */
    answerBytes?: number;
    /** Whether the answer is one stored element, which may exceed `answerBytes`. Set by handlers. */
    holdsOneElement?: boolean;
    /** Where the caller has the scope of an operation with `any_environment`; absent for others. */
    reach?: Reach;
    /** Whether the caller prefers an answer with extensions, such as explanations. */
    prefersExtensions?: boolean;
    observation?: Observation;
    /** Violations inside elements, left to the handler; see `partial_field` of the operation. */
    violations?: Violation[];
    /** Durations of the parts of the work. Set by the handler. */
    stages?: readonly Stage[];
  };

/** A call that has begun, from its headers on. */
export type Begun = { call: Call; observation: Observation };
