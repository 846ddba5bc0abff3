/** Reads what the comment of each error reason says: its cause, a fix and an example. */

import { type DescEnum, type DescEnumValue, getOption } from '@bufbuild/protobuf';
import { default$ as defaultStatus } from '../../gen/es/personalisation/rest/v1/error_reason_pb.js';
import { describe } from './comments.ts';

export type ReasonPage = {
  reason: string;
  httpStatus: number;
  /** google.rpc.Code. */
  grpcCode: number;
  cause: string;
  fix: string;
  example: string;
};

const prefix = 'ERROR_REASON_';

/** @throws Error with the reasons that have a malformed comment. */
export function readErrorReasons(reasons: DescEnum): ReasonPage[] {
  return reasons.values.filter(({ number }) => number !== 0).map(readReason);
}

function readReason(value: DescEnumValue): ReasonPage {
  const [cause, ...others] = describe(value).split('\n\n');
  const labelled = (label: string): string => {
    const found = others.find((paragraph) => paragraph.startsWith(`${label}: `));
    if (found === undefined) throw new Error(`${value.name}: its comment has no paragraph "${label}: …"`);
    return found.slice(label.length + 2);
  };
  const { httpStatus, grpcCode } = getOption(value, defaultStatus);
  const reason = value.name.slice(prefix.length);
  return { reason, httpStatus, grpcCode, cause, fix: labelled('Fix'), example: labelled('Example') };
}
