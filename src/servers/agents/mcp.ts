/**
 * Serves tools for AI agents at `/mcp` over the Model Context Protocol (revision 2026-07-28, and older ones without sessions):
 * one request, one answer.
 *
 * A presented token is checked before the body is read, and each operation of a tool admits the call as on every transport.
 */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { DomainError } from '../../errors.ts';
import type { Call } from '../../handlers/chain/call.ts';
import { toDomainError } from '../../handlers/chain/errors.ts';
import { describeProblem, send } from '../gateway/http-answer.ts';
import { ClientGone, hasBody, readText } from '../gateway/http-body.ts';
import { createCors } from '../gateway/http-cors.ts';
import type { PathHandler } from '../path-handler.ts';
import { callerOf, type Peers } from '../peer-address.ts';
import { trackUnread } from '../unread-answers.ts';
import { createOperationCaller, type OperationCallerOptions } from './call-operation.ts';
import type { ProtocolOptions } from './protocol.ts';

export type AgentHandlerOptions = OperationCallerOptions &
  ProtocolOptions & {
    /** Sets the caller of a presented token. @throws UNAUTHENTICATED */
    authenticate(call: Call): Promise<void>;
    basePath: string;
    corsOrigins: readonly string[];
    newRequestId: () => string;
    peers: Peers;
    answerBytes: number;
  };

/** Configurations of operators have up to 4 MiB; requests of shoppers are short. */
const bodyBytes = { operator: 4_259_840, shopper: 65_536 };
const bodyTimeoutMs = 30_000;

const protocolHeaders = ['mcp-protocol-version', 'mcp-method', 'mcp-name'];
const loopback = /^(::ffff:)?127\.|^::1$/;

export function createAgentHandler(options: AgentHandlerOptions): PathHandler {
  const { basePath, peers, unread, corsOrigins } = options;
  const paths = new Set(['/mcp', `${basePath}/mcp`]);
  const cors = createCors(corsOrigins, { allowed: protocolHeaders, exposed: [] });
  const operationsOf = createOperationCaller(options);
  const isPublic = options.tools.some(({ isForOperators }) => !isForOperators);
  /** Loaded by the first request, since most nodes serve no agents. */
  const load = () => import('./protocol.ts').then(({ createProtocol }) => createProtocol(options));
  let loaded: ReturnType<typeof load> | undefined;

  const answer = async (request: IncomingMessage, response: ServerResponse, call: Call) => {
    loaded ??= load();
    const protocol = await loaded;
    const { localAddress = '', remoteAddress = '' } = request.socket;
    const isLocal = loopback.test(localAddress) && !peers.isProxy(remoteAddress);
    /** DNS rebinding gives a page of another site a name for this address. */
    if (!protocol.isKnownOrigin(call.origin) || (isLocal && !protocol.isKnownHost(request.headers.host)))
      throw new DomainError('ORIGIN_NOT_ALLOWED', 'This origin or host may not use the tools.');
    unread.check(call.peer);
    if (call.authorization !== undefined || !isPublic) await options.authenticate(call);
    const maxBytes = bodyBytes[call.caller ? 'operator' : 'shopper'];
    const text = hasBody(request)
      ? await readText(request, { maxBytes, timeoutMs: bodyTimeoutMs })
      : undefined;
    if (/^\s*\[/.test(text ?? '')) throw new DomainError('BODY_INVALID', 'Send one message, not a batch.');
    const answered = await protocol.answer(toWebRequest(request, text), {
      ...{ call, callOperation: operationsOf(call, response) },
    });
    const body = await answered.text();
    if (response.destroyed) return;
    trackUnread(unread, { call, byteCount: Buffer.byteLength(body), response });
    send(response, answered.status, body, {
      ...Object.fromEntries([...answered.headers].filter(([name]) => name !== 'content-length')),
      ...headersOf(request, call),
    });
  };

  const headersOf = (request: IncomingMessage, { requestId }: Call) => ({
    'x-request-id': requestId,
    ...cors.headersOf(request),
  });

  const fail = (request: IncomingMessage, response: ServerResponse, call: Call, thrown: unknown) => {
    if (thrown instanceof ClientGone || response.headersSent) return void response.destroy();
    const error = toDomainError(thrown);
    options.logFailure(error, { operation: 'mcp', call });
    const { problem, headers } = describeProblem(error, { basePath, requestId: call.requestId });
    send(response, problem.status, JSON.stringify(problem), { ...headers, ...headersOf(request, call) });
  };

  return {
    handles: (path) => paths.has(path),
    handle(request, response) {
      if (request.method === 'OPTIONS') {
        const headers = { allow: 'POST, OPTIONS', ...cors.preflightOf(request, ['POST']) };
        return void response.writeHead(204, headers).end();
      }
      const { newRequestId, answerBytes } = options;
      const call: Call = {
        ...{ transport: 'mcp', requestId: newRequestId(), answerBytes },
        ...callerOf(peers, request),
      };
      answer(request, response, call).catch((thrown) => fail(request, response, call, thrown));
    },
  };
}

/** Headers of the message that the protocol reads. */
const readHeaders = ['accept', 'content-type', ...protocolHeaders];

function toWebRequest({ method, headers: sent }: IncomingMessage, body: string | undefined): Request {
  const headers = readHeaders.flatMap((name): [string, string][] =>
    sent[name] === undefined ? [] : [[name, String(sent[name])]],
  );
  return new Request('http://localhost/mcp', { method, headers, body });
}
