import type { DescMethod, Message } from '@bufbuild/protobuf';
import type { Operation as OperationOptions } from '../../../gen/es/personalisation/rest/v1/options_pb.js';
import type { Call } from './call.ts';

/** A handler of one unary rpc: converts, delegates, converts back. */
export type UnaryHandler = (request: Message, call: Call) => Promise<Message>;

/** A handler of a streaming rpc; unary requests arrive as a stream of one. */
export type StreamHandler = (requests: AsyncIterable<Message>, call: Call) => AsyncIterable<Message>;

/**
 * One rpc behind the chain that every transport passes: authentication → rate limit → body → validation → handler.
 * It rejects with a DomainError only; handlers/chain/errors.ts says what that is on each transport.
 */
export type Operation = {
  /** `personalisation.v1.ItemService/PutItem`. */
  name: string;
  method: DescMethod;
  options: OperationOptions;
  /**
   * Authenticates and counts the call by its headers alone. Every transport does so before it reads the body, so that
   * nobody's body is read, unpacked or parsed before they may send it.
   */
  admit(call: Call): Promise<void>;
  /**
   * Lets an admitted caller into the environment of the request's `environment` field, where it has one, or throws. Streams
   * enter by themselves, by the environment of their messages.
   */
  enter(call: Call, environment: string | undefined): void;
} & (
  | { kind: 'unary' /** Validates and handles an admitted call. */; handle: UnaryHandler }
  | { kind: 'stream'; handle: StreamHandler }
);

export type Operations = ReadonlyMap<string, Operation>;
