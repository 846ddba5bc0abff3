/** Checks that an operation has the same answer over every transport. */

import { getOption } from '@bufbuild/protobuf';
import type { ExecutionContext } from 'ava';
import {
  default$ as defaultStatus,
  ErrorReasonSchema,
} from '../../../gen/es/personalisation/rest/v1/error_reason_pb.js';
import type { TestService } from '../../support/service.ts';
import { createConnectCaller } from './connect.ts';
import { createGrpcCaller } from './grpc.ts';
import { callHttp } from './http.ts';
import type { Operation, Outcome, Transport } from './operation.ts';

export type Expected = {
  /** HTTP status. */
  status: number;
  /** For a failure, the lower-case name of its reason. */
  reason?: string;
  pointers?: string[];
  /** Body of a success; checked if given. */
  body?: unknown;
};

/** By name; the tests of a file share them. */
export type Transports = { http: Transport; grpc: Transport; connect: Transport };

export function createTransports(
  t: { teardown(tidy: () => void): void },
  { baseUrl, grpcAddress, authorization: admin }: TestService,
): Transports {
  const grpc = createGrpcCaller(grpcAddress);
  const connect = createConnectCaller(baseUrl);
  t.teardown(grpc.close);
  return {
    http: (operation, authorization = admin) => callHttp(baseUrl, operation, authorization),
    grpc: (operation, authorization = admin) => grpc.call(operation, authorization),
    connect: (operation, authorization = admin) => connect(operation, authorization),
  };
}

/** Preparation of an operation, and its caller. */
export type Circumstances = {
  /** Performed over HTTP before each transport; for operations that cannot be repeated. */
  given?: Operation[];
  authorization?: string | null;
};

/** Performs the operation over each transport: the answers are the expected one, and the same. */
export async function isAnsweredEverywhere(
  t: ExecutionContext,
  transports: { http: Transport; [name: string]: Transport },
  operation: Operation,
  expected: Expected,
  { given = [], authorization }: Circumstances = {},
): Promise<void> {
  let first: unknown;
  for (const [name, call] of Object.entries(transports)) {
    for (const before of given) t.is((await transports.http(before)).status, 200, before.path);
    const answer = await call(operation, authorization);
    const shown = comparable(answer.outcome);
    first ??= shown;
    t.deepEqual(shown, wanted(expected) ?? first, name);
    t.is(answer.outcome.ok, expected.reason === undefined, name);
    t.is(answer.status, name === 'http' ? expected.status : codeOf(expected.reason), name);
    t.truthy(answer.requestId, `${name} has no request id`);
  }
}

/** Undefined: a success with any body. */
function wanted({ reason, pointers = [], body }: Expected): unknown {
  if (reason !== undefined) return comparable({ ok: false, reason: reason.toUpperCase(), pointers });
  return body === undefined ? undefined : comparable({ ok: true, body });
}

/** Violations may be in any order. */
function comparable(outcome: Outcome): unknown {
  if (outcome.ok) return { ok: true, body: masked(outcome.body) };
  return { ...outcome, pointers: outcome.pointers.toSorted() };
}

/** gRPC code of a reason, as error_reason.proto declares it; 0 for a success. */
function codeOf(reason: string | undefined): number {
  if (reason === undefined) return 0;
  const value = ErrorReasonSchema.values.find(({ name }) => name === `ERROR_REASON_${reason.toUpperCase()}`);
  return getOption(value!, defaultStatus).grpcCode;
}

const different = new Set(['request_id', 'list_key', 'expires_at', 'audience_id', 'access_token']);

/** Replaces values that differ from call to call by their type. */
function masked(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(masked);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, different.has(name) ? typeof inner : masked(inner)]),
  );
}
