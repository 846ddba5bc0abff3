import type { DescMethod, Message } from '@bufbuild/protobuf';
import type { Operation as OperationOptions } from '../../../gen/es/personalisation/rest/v1/options_pb.js';
import type { Call } from './call.ts';

/** Handles a unary RPC: converts, delegates, converts back. */
export type UnaryHandler = (request: Message, call: Call) => Promise<Message>;

/** Handles a streaming RPC; a unary request arrives as a stream of one. */
export type StreamHandler = (requests: AsyncIterable<Message>, call: Call) => AsyncIterable<Message>;

/**
 * One RPC behind the chain of every transport: authentication, rate limit, body, validation,
 * handler. Rejects only with a DomainError; handlers/chain/errors.ts translates it for each
 * transport.
 */
export type Operation = {
  /** For example `personalisation.v1.ItemService/PutItem`. */
  name: string;
  method: DescMethod;
  options: OperationOptions;
  /** Authenticates and counts the call by its headers, before the transport reads the body. */
  admit(call: Call): Promise<void>;
  /** Checks the access to an environment; streams call it for that of each message. */
  enter(call: Call, environment: string | undefined): void;
} & (
  | { kind: 'unary' /** Validates and handles an admitted call. */; handle: UnaryHandler }
  | { kind: 'stream'; handle: StreamHandler }
);

export type Operations = ReadonlyMap<string, Operation>;
