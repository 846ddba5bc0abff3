/** `personalisation mcp`: the tools for agents over standard input and output, for clients on the same machine. */

import type { Command } from 'commander';
import { version } from '../version.ts';
import { httpAction } from './connection/actions.ts';
import type { Http } from './connection/http.ts';
import { withConnection } from './connection/options.ts';

const protocolVersion = '2026-07-28';

export function registerMcp(program: Command): void {
  withConnection(program.command('mcp'))
    .description('serve the tools for AI agents over standard input and output (MCP)')
    .action(httpAction(serve));
}

/** Resolves when the client closes standard input. */
async function serve(http: Http): Promise<void> {
  const { Server } = await import('@modelcontextprotocol/server');
  const { serveStdio } = await import('@modelcontextprotocol/server/stdio');
  const forward = createForward(http);
  const ended = new Promise<void>((resolve) => process.stdin.once('close', resolve));
  const info = { name: 'personalisation', title: 'Personalisation', version };
  serveStdio(() => {
    const server = new Server(info, { capabilities: { tools: {} } });
    server.setRequestHandler('tools/list', async () => {
      const { tools } = await forward('tools/list', {});
      return { tools };
    });
    server.setRequestHandler('tools/call', async ({ params: { name, arguments: input } }) => {
      const { content, structuredContent, isError } = await forward('tools/call', { name, arguments: input });
      return { content, structuredContent, isError };
    });
    return server;
  });
  await ended;
}

// biome-ignore lint/suspicious/noExplicitAny: results that the service has checked.
type Answer = { result?: any; error?: { code: number; message: string; data?: unknown } };

/** Sends a request to `/mcp` of the service, with the client's token. */
function createForward(http: Http) {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': protocolVersion,
    'io.modelcontextprotocol/clientInfo': { name: 'personalisation mcp', version },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  return async (method: string, params: { name?: string; arguments?: unknown }) => {
    const headers = {
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': protocolVersion,
      'mcp-method': method,
      ...(params.name !== undefined && { 'mcp-name': params.name }),
    };
    const body = { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: meta } };
    const { json } = await http.exchange('POST', '/mcp', { body, headers });
    const { result, error } = json as Answer;
    if (error) throw Object.assign(new Error(error.message), error);
    return result;
  };
}
