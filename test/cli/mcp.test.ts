/** `personalisation mcp`: a real client over standard input and output. */

import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import test from 'ava';
import { agentOf } from '../contract/mcp/agent.ts';
import { testedService } from '../contract/support/tested-service.ts';
import { program } from '../support/program.ts';
import { runCommand } from './support/command.ts';

const service = testedService();

for (const era of ['auto', 'legacy'] as const)
  test(`a client of the ${era} revision calls the tools`, async (t) => {
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: era } });
    const { baseUrl, dataDir } = service;
    const env = {
      ...(process.env as Record<string, string>),
      PERSONALISATION_URL: baseUrl,
      DATA_DIR: dataDir,
    };
    await client.connect(
      new StdioClientTransport({ command: process.execPath, args: [program, 'mcp'], env }),
    );
    t.teardown(() => client.close());
    const agent = agentOf(client);
    t.true((await agent.toolNames()).includes('explain'));
    const found = await agent.call('list_environments', {});
    t.like(found.json, { environments: [{ name: 'shop' }, { name: 'news' }] });
    t.like(await agent.call('search', { environment: 'none', query: '' }), {
      isError: true,
      json: { reason: 'ENVIRONMENT_UNKNOWN' },
    });
    await t.throwsAsync(agent.call('none', {}), { message: /Unknown tool/ });
  });

test('it ends with the input, and names the reason when the service refuses the client', async (t) => {
  const { exitCode, stdout, stderr } = await runCommand(['mcp', '--url', service.baseUrl], {
    PERSONALISATION_CLIENT_ID: 'c_none',
    PERSONALISATION_CLIENT_SECRET: 'none',
  });
  t.deepEqual([exitCode, stdout], [1, '']);
  t.regex(stderr, /CLIENT_INVALID/);
});
