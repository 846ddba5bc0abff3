/** The Model Context Protocol over the tools: lists them for the caller, checks inputs, and runs them. */

import {
  type CallToolResult,
  createMcpHandler,
  localhostAllowedHostnames,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  validateHostHeader,
  validateOriginHeader,
} from '@modelcontextprotocol/server';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/server/validators/ajv';
import { checkAnswerSize } from '../../handlers/chain/answer-size.ts';
import type { Call } from '../../handlers/chain/call.ts';
import { toDomainError } from '../../handlers/chain/errors.ts';
import type { CallOperation, Tool } from '../../handlers/chain/tool.ts';

type Exchange = { call: Call; callOperation: CallOperation };

export type ProtocolOptions = {
  tools: readonly Tool[];
  version: string;
  /** Addresses of pages that may call, besides those of this machine; `*` for any. */
  sites: readonly string[];
};

export function createProtocol({ version, sites, ...options }: ProtocolOptions) {
  const schemas = new AjvJsonSchemaValidator();
  const tools = options.tools.map((tool) => ({ ...tool, check: schemas.getValidator(tool.inputSchema) }));
  const run = async (name: string, input: unknown, { call, callOperation }: Exchange) => {
    const tool = tools.find((one) => one.name === name && isOffered(one, call));
    if (!tool)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool ${JSON.stringify(name)}.`);
    const { valid, errorMessage = '' } = tool.check(input);
    if (!valid) return refuse(tool, { reason: 'BODY_INVALID', detail: errorMessage });
    try {
      const structuredContent = await tool.run(input as never, callOperation);
      const text = JSON.stringify(structuredContent);
      checkAnswerSize(call, Buffer.byteLength(text));
      return { content: [{ type: 'text' as const, text }], structuredContent };
    } catch (thrown) {
      const { reason, message: detail, violations: errors } = toDomainError(thrown);
      return refuse(tool, { reason, detail, errors });
    }
  };
  const { fetch } = createMcpHandler(
    ({ authInfo }) => {
      const exchange = authInfo!.extra as Exchange;
      const info = { name: 'personalisation', title: 'Personalisation', version };
      const server = new Server(info, { capabilities: { tools: {} } });
      const offered = tools.filter((tool) => isOffered(tool, exchange.call));
      server.setRequestHandler('tools/list', () => ({ tools: offered.map(describe) }));
      server.setRequestHandler('tools/call', ({ params: { name, arguments: input = {} } }) =>
        run(name, input, exchange),
      );
      return server;
    },
    /** Tools never change, so there is nothing to subscribe to. */
    { maxSubscriptions: 0 },
  );
  const hosts = [...localhostAllowedHostnames(), ...sites.flatMap(hostOf)];
  return {
    answer: (request: Request, exchange: Exchange) =>
      fetch(request, { authInfo: { token: '', clientId: '', scopes: [], extra: exchange } }),
    isKnownOrigin: (origin: string | undefined) =>
      sites.includes('*') || validateOriginHeader(origin, hosts).ok,
    isKnownHost: (host: string | undefined) => validateHostHeader(host, hosts).ok,
  };
}

const hostOf = (site: string) => (URL.canParse(site) ? [new URL(site).hostname] : []);

const isOffered = ({ isForOperators }: Tool, { caller }: Call) => !isForOperators || caller !== undefined;

function describe({ name, description, inputSchema, isReadOnly: readOnlyHint }: Tool) {
  const annotations = { readOnlyHint, openWorldHint: false };
  return { name, description, inputSchema: inputSchema as { type: 'object' }, annotations };
}

/** Operators' models correct their input by the answer; the catalogue protocol prescribes JSON-RPC errors. */
function refuse({ isForOperators }: Tool, problem: { reason: string; detail: string; errors?: object[] }) {
  const content = [{ type: 'text' as const, text: JSON.stringify(problem) }];
  if (isForOperators) return { isError: true, content } satisfies CallToolResult;
  const isInvalid = problem.reason.endsWith('_INVALID');
  const code = isInvalid ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError;
  throw new ProtocolError(code, problem.detail, problem);
}
