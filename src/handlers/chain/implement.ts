/** Types a service's handlers by its RPCs, and creates the response messages. */

import {
  create,
  type DescMessage,
  type DescMethodBiDiStreaming,
  type DescMethodClientStreaming,
  type DescMethodServerStreaming,
  type DescMethodUnary,
  type DescService,
  type MessageInitShape,
  type MessageShape,
} from '@bufbuild/protobuf';
import type { Call } from './call.ts';
import type { Implementation } from './chain.ts';
import type { StreamHandler, UnaryHandler } from './operation.ts';

type HandlerOf<Method> =
  Method extends DescMethodUnary<infer I, infer O>
    ? (request: MessageShape<I>, call: Call) => Promise<MessageInitShape<O>>
    : Method extends
          | DescMethodServerStreaming<infer I, infer O>
          | DescMethodClientStreaming<infer I, infer O>
          | DescMethodBiDiStreaming<infer I, infer O>
      ? (requests: AsyncIterable<MessageShape<I>>, call: Call) => AsyncIterable<MessageInitShape<O>>
      : never;

/** Handlers by RPC; a missing one answers NOT_IMPLEMENTED. */
export type HandlersOf<Service extends DescService> = {
  [Name in keyof Service['method']]?: HandlerOf<Service['method'][Name]>;
};

export function implement<Service extends DescService>(
  service: Service,
  handlers: HandlersOf<Service>,
): Implementation {
  const creating = Object.entries(handlers).map(([name, handler]) => {
    const { methodKind, output } = service.method[name];
    const isUnary = methodKind === 'unary';
    return [
      name,
      isUnary ? creatingOne(handler as UnaryHandler, output) : creatingAll(handler as StreamHandler, output),
    ];
  });
  return { service, handlers: Object.fromEntries(creating) };
}

const creatingOne =
  (handler: UnaryHandler, output: DescMessage): UnaryHandler =>
  async (request, call) =>
    create(output, await handler(request, call));

const creatingAll = (handler: StreamHandler, output: DescMessage): StreamHandler =>
  async function* handle(requests, call) {
    for await (const response of handler(requests, call)) yield create(output, response);
  };
