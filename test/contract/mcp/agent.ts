/** A real MCP client of a tested service, as an AI agent has it. */

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { ExecutionContext } from 'ava';

export type Answer = { isError?: boolean; json: Record<string, unknown> };

export type Agent = {
  toolNames(): Promise<string[]>;
  /** Returns the structured answer of a tool, or its problem. @throws ProtocolError */
  call(name: string, input: object): Promise<Answer>;
  client: Client;
};

export type AgentOptions = {
  url: string;
  authorization?: string;
  era?: 'auto' | 'legacy';
  userAgent?: string;
};

/** @param era `auto` for the current revision, `legacy` for the one with `initialize`. */
export async function openAgent(
  t: Pick<ExecutionContext, 'teardown'>,
  { url, authorization, era = 'auto', userAgent }: AgentOptions,
): Promise<Agent> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: era } });
  const headers = { ...(authorization && { authorization }), ...(userAgent && { 'user-agent': userAgent }) };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  t.teardown(() => client.close());
  return agentOf(client);
}

export function agentOf(client: Client): Agent {
  return {
    client,
    toolNames: async () => (await client.listTools()).tools.map(({ name }) => name),
    async call(name, input) {
      const answer = await client.callTool({ name, arguments: input as Record<string, unknown> });
      const [content] = answer.content;
      const told = content.type === 'text' ? JSON.parse(content.text) : undefined;
      return { isError: answer.isError, json: (answer.structuredContent ?? told) as Answer['json'] };
    },
  };
}
