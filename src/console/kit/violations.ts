import { fromBinary } from '@bufbuild/protobuf';
import { ConnectError } from '@connectrpc/connect';
import { BadRequestSchema } from '../../../gen/es/personalisation/rest/v1/status_pb.js';
import type { ProblemError } from '../service/transport.ts';

export type Violation = { pointer: string; detail: string };

/** Lists the faults of a refused request by field; empty when the error has only a message. */
export function violationsOf(error: unknown): Violation[] {
  /** `instanceof` would match any ConnectError: its class defines Symbol.hasInstance. */
  if (typeof error === 'object' && error !== null && 'violations' in error)
    return (error as ProblemError).violations;
  const details = ConnectError.from(error).details as { type?: string; value?: Uint8Array }[];
  const found = details.find(({ type }) => type === 'google.rpc.BadRequest');
  if (!found?.value) return [];
  const { fieldViolations } = fromBinary(BadRequestSchema, found.value);
  return fieldViolations.map(({ pointer, description }) => ({ pointer, detail: description }));
}
