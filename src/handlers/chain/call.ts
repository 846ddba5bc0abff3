/** What a handler knows about the call besides its request message, whatever the transport. */

import type { Violation } from '../../errors.ts';
import type { Stage } from '../../ranking/lists/stages.ts';
import type { Caller } from '../../security/caller.ts';
import type { Quota } from '../../security/rate-limits.ts';

export type Transport = 'http' | 'connect' | 'grpc';

/** What telemetry sees of one call. */
export type Observation = {
  /** Runs a part of the call, so that its log lines and spans belong to it. */
  run<T>(work: () => T): T;
  /** The environment that the caller was admitted to. */
  enter(environment: string): void;
  /** At the call's end; only the first one counts. @param outcome Reason of a failure; absent for success. */
  end(operation: string, outcome?: string): void;
};

/** Begins to observe a call; `traceparent` is the caller's header or metadata entry. */
export type Observer = {
  begin(call: { transport: Transport; requestId: string; traceparent?: string }): Observation;
};

/** For servers that nobody watches. */
export const unobserved: Observer = {
  begin: () => ({ run: (work) => work(), enter: () => undefined, end: () => undefined }),
};

export type Call = {
  transport: Transport;
  /** Unique; in every log line and error of the call. */
  requestId: string;
  /** Value of the Authorization header or metadata entry. */
  authorization?: string;
  /** Value of the `write_key` query parameter, for front ends that cannot set headers. */
  writeKey?: string;
  /** Value of the Origin header. */
  origin?: string;
  userAgent?: string;
  /** Address of the peer; what the rate limits count by when there is no client. */
  peer: string;
  /** Moment by `performance.now()` at which the caller stops waiting; undefined when it did not say. */
  deadlineMs?: number;
  /** Aborted when the caller has gone or its transport deadline has passed. Set by the transports. */
  signal?: AbortSignal;
  /** The most bytes that a unary answer may have; undefined for any. Set by the transports. */
  answerBytes?: number;
  /** The answer holds one stored element, which may be as large as when it was stored. Set by the handler. */
  holdsOneElement?: boolean;
  /** The caller prefers what the documented answer does not hold, which explanations are a part of. */
  prefersExtensions?: boolean;
  /** Set by the transports. */
  observation?: Observation;
  /** Faults inside the body's elements, left to the handler; see `partial_field` of the operation. */
  violations?: Violation[];
  /** Set by the operation chain. Undefined on a public operation without a token. */
  caller?: Caller;
  /** Set by the operation chain: what the caller's limits count under, a client or the address of a peer. */
  callerKey?: string;
  /** Set by the operation chain where the caller's rate is limited. */
  quota?: Quota;
  /** Set by the handler: how long the parts of its work took. */
  stages?: readonly Stage[];
  /** Set by the operation chain. Transports call it once both the work has ended and the answer was taken or cannot be. */
  leave?: () => void;
};

/** A call on its way, from its headers on. */
export type Begun = { call: Call; observation: Observation };
