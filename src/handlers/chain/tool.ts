/** Tools for AI agents: operations with a name, a description and an input that models understand. */

import type {
  DescMessage,
  DescMethodUnary,
  JsonObject,
  MessageInitShape,
  MessageShape,
} from '@bufbuild/protobuf';
import { decodeJson, encodeJson } from '../../formats/codec.ts';
import { refuse } from './refuse.ts';

/** Calls an operation with the agent's authentication, rate limits and bounds. @throws DomainError */
export type CallOperation = <Input extends DescMessage, Output extends DescMessage>(
  method: DescMethodUnary<Input, Output>,
  request: MessageInitShape<Input>,
) => Promise<MessageShape<Output>>;

export type Tool = {
  name: string;
  /** Fixed, since texts of items would be instructions to the model. */
  description: string;
  /** JSON Schema (2020-12) of an object. */
  inputSchema: JsonObject;
  /** Whether visitors and other callers notice nothing of it. */
  isReadOnly: boolean;
  /** Whether only callers with a token see it. */
  isForOperators: boolean;
  /** @param input Satisfies `inputSchema`. */
  run(input: never, call: CallOperation): Promise<JsonObject>;
};

/** Calls an operation with the documented JSON of its request, and returns that of its answer. */
export async function callJson<Input extends DescMessage, Output extends DescMessage>(
  call: CallOperation,
  method: DescMethodUnary<Input, Output>,
  json: JsonObject,
): Promise<JsonObject> {
  const { message, violations } = decodeJson(method.input, json);
  refuse(violations);
  return encodeJson(method.output, await call(method, message as MessageInitShape<Input>)) as JsonObject;
}
