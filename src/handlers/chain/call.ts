/** Properties of a call besides its request message, for every transport. */

import type { Violation } from '../../errors.ts';
import type { Stage } from '../../ranking/lists/stages.ts';
import type { Caller } from '../../security/caller.ts';
import type { Quota } from '../../security/rate-limits.ts';

export type Transport = 'http' | 'connect' | 'grpc';

/** Observes one call for telemetry. */
export type Observation = {
  /** Runs a part of the call, so that its log lines and spans belong to it. */
  run<T>(work: () => T): T;
  /** Sets the environment of the call. */
  enter(environment: string): void;
  /**
   * Ends the call; further calls have no effect. @param outcome Reason of a failure; absent for
   * success.
   */
  end(operation: string, outcome?: string): void;
};

/** Starts observing a call. `traceparent` is the caller's header or metadata entry. */
export type Observer = {
  begin(call: { transport: Transport; requestId: string; traceparent?: string }): Observation;
};

/** Observes nothing. */
export const unobserved: Observer = {
  begin: () => ({ run: (work) => work(), enter: () => undefined, end: () => undefined }),
};

export type Call = {
  transport: Transport;
  /** Unique; part of every log line and error of the call. */
  requestId: string;
  /** Value of the Authorization header or metadata entry. */
  authorization?: string;
  /** Value of the `write_key` query parameter, for front ends that cannot set headers. */
  writeKey?: string;
  /** Value of the Origin header. */
  origin?: string;
  userAgent?: string;
  /** Address of the peer; rate limits count by it if there is no client. */
  peer: string;
  /** Time by `performance.now()` at which the caller stops waiting [no limit]. */
  deadlineMs?: number;
  /** Aborted when the caller disconnects or its deadline passes. Set by the transports. */
  signal?: AbortSignal;
  /** Maximum bytes of a unary answer [no limit]. Set by the transports. */
  answerBytes?: number;
  /**
   * Whether the answer is one stored element, which may exceed `answerBytes`. Set by the handler.
   */
  holdsOneElement?: boolean;
  /** Whether the caller prefers an answer with extensions, such as explanations. */
  prefersExtensions?: boolean;
  /** Set by the transports. */
  observation?: Observation;
  /**
   * Violations inside elements of the body, left to the handler; see `partial_field` of the
   * operation.
   */
  violations?: Violation[];
  /** Set by the operation chain. Undefined on a public operation without a token. */
  caller?: Caller;
  /**
   * Key that the caller's limits count under: a client or the address of a peer. Set by the
   * operation chain.
   */
  callerKey?: string;
  /** Set by the operation chain if the caller's rate is limited. */
  quota?: Quota;
  /** Durations of the parts of the work. Set by the handler. */
  stages?: readonly Stage[];
  /**
   * Set by the operation chain. Transports call it when the work has ended and the answer is sent
   * or cannot be.
   */
  leave?: () => void;
};

/** A call that has begun, from its headers on. */
export type Begun = { call: Call; observation: Observation };
