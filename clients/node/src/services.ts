/** Clients of generated services. They throw `PersonalisationError`; answers work with JSON. */

import type { DescService } from '@bufbuild/protobuf';
import { type Client, createClient, type Transport } from '@connectrpc/connect';
import { toPersonalisationError } from './errors.ts';
import { jsonSafe } from './json-safe.ts';

type Method = (...args: unknown[]) => unknown;

export function createServiceClient<Service extends DescService>(
  service: Service,
  transport: Transport,
): Client<Service> {
  const client = createClient(service, transport) as unknown as Record<string, Method>;
  const methods = service.methods.map(({ localName, methodKind }): [string, Method] => {
    const call = client[localName];
    const isUnary = methodKind === 'unary' || methodKind === 'client_streaming';
    return [localName, isUnary ? unary(call) : streaming(call)];
  });
  return Object.fromEntries(methods) as unknown as Client<Service>;
}

function unary(call: Method): Method {
  return async (...args) => {
    try {
      return jsonSafe(await call(...args));
    } catch (thrown) {
      throw errorOf(thrown, args);
    }
  };
}

function streaming(call: Method): Method {
  return async function* (...args) {
    try {
      for await (const part of call(...args) as AsyncIterable<unknown>) yield jsonSafe(part);
    } catch (thrown) {
      throw errorOf(thrown, args);
    }
  };
}

/** An aborted call rejects with the reason of its signal, as `fetch` does. */
function errorOf(thrown: unknown, [, options]: unknown[]): unknown {
  const signal = (options as { signal?: AbortSignal } | undefined)?.signal;
  return signal?.aborted ? signal.reason : toPersonalisationError(thrown);
}
