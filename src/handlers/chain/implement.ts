/**
 * Types a service's handlers by its RPCs, so that a wrong request or response type does not
 * compile.
 */

import type {
  DescMethodBiDiStreaming,
  DescMethodClientStreaming,
  DescMethodServerStreaming,
  DescMethodUnary,
  DescService,
  MessageShape,
} from '@bufbuild/protobuf';
import type { Call } from './call.ts';
import type { Implementation } from './chain.ts';
import type { StreamHandler, UnaryHandler } from './operation.ts';

type HandlerOf<Method> =
  Method extends DescMethodUnary<infer I, infer O>
    ? (request: MessageShape<I>, call: Call) => Promise<MessageShape<O>>
    : Method extends
          | DescMethodServerStreaming<infer I, infer O>
          | DescMethodClientStreaming<infer I, infer O>
          | DescMethodBiDiStreaming<infer I, infer O>
      ? (requests: AsyncIterable<MessageShape<I>>, call: Call) => AsyncIterable<MessageShape<O>>
      : never;

/** Handlers by RPC; a missing one answers NOT_IMPLEMENTED. */
export type HandlersOf<Service extends DescService> = {
  [Name in keyof Service['method']]?: HandlerOf<Service['method'][Name]>;
};

export function implement<Service extends DescService>(
  service: Service,
  handlers: HandlersOf<Service>,
): Implementation {
  return { service, handlers: handlers as Record<string, UnaryHandler | StreamHandler> };
}
