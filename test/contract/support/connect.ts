/**
 * Connect and gRPC-Web over the HTTP port, with the generated protobuf-es services, like a browser.
 */

import { fromJson, type Message } from '@bufbuild/protobuf';
import { ConnectError, type Transport as ConnectTransport, createClient } from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-node';
import type { Transport } from './operation.ts';
import { type ErrorDetail, failed, methodOf, succeeded } from './rpc.ts';

type Call = (request: Message, options: object) => Promise<Message>;

export function createConnectCaller(baseUrl: string): Transport {
  return createCaller(createConnectTransport({ baseUrl: new URL(baseUrl).origin, httpVersion: '1.1' }));
}

/** @param transport A transport of Connect with any protocol. */
export function createCaller(transport: ConnectTransport): Transport {
  return async (operation, authorization) => {
    const method = methodOf(operation.rpc);
    const client = createClient(method.parent, transport) as unknown as Record<string, Call>;
    let requestId: string | undefined;
    const keep = (headers: Headers) => {
      requestId = headers.get('x-request-id') ?? requestId;
    };
    const headers = authorization == null ? {} : { authorization };
    const options = { headers, onHeader: keep, onTrailer: keep };
    try {
      const message = await client[method.localName](fromJson(method.input, operation.message), options);
      return { status: 0, requestId, outcome: succeeded(method, message) };
    } catch (thrown) {
      const error = ConnectError.from(thrown);
      const { requestId: _, ...outcome } = failed(error.details as ErrorDetail[]);
      return { status: error.code, requestId: error.metadata.get('x-request-id') ?? undefined, outcome };
    }
  };
}
