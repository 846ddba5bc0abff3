/** Codec between the documented JSON and the messages of the protos. */

export { decodeJson } from './codec/decode.ts';
export { encodeJson } from './codec/encode.ts';
export { shapeOf } from './codec/field-plan.ts';
export { maxViolationCount } from './codec/findings.ts';
export { validateMessage } from './codec/validate.ts';
export { verbatimOf, withVerbatim } from './codec/verbatim.ts';
