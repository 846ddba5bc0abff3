/** A property has left the deployment file while a configuration and items use it. */

import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import test from 'ava';
import { saveConfiguration } from '../../src/repository/configurations/configurations.ts';
import { createDatabase } from '../../src/repository/database.ts';
import { upsertItems } from '../../src/repository/items/items.ts';
import { createLogger } from '../../src/servers/telemetry/logger.ts';
import { addressOf } from '../support/database-address.ts';
import { createJsonClient } from '../support/json-client.ts';
import { program } from '../support/program.ts';
import { startTestService } from '../support/service.ts';

const deploymentOf = (properties: string) =>
  `environments: [{ name: shop, item_types: [{ name: product, properties: [${properties}] }] }]`;
const before = deploymentOf('{ name: gone, type: string }');
const after = deploymentOf('');

const sentence =
  'Configuration "c1" uses the property "gone" (/constraints/0), which no environment declares.';
const query = { key: 'gone', match: 'relic' };

type Answer = {
  extensions: { outcomes: { inapplicable_rules: object[] }[] };
  lists: { list_size: number }[];
};
type Readiness = { checks: { deployment: string }; problems?: string[] };

test('log, readiness, outcomes and serve --check name a configuration that the deployment file breaks', async (t) => {
  const warnings: unknown[] = [];
  const warn = (...words: unknown[]) => void warnings.push(words.at(-1));
  const logger = Object.assign(Object.create(createLogger('silent')), { warn });
  const service = await startTestService(t, after, {
    watch: { logger },
    async reach(connection) {
      const db = createDatabase(connection, { poolSize: 2 });
      const item = { environment: 'shop', itemType: 'product', itemId: 'lamp' };
      await upsertItems(db, [{ ...item, document: { title: 'Lamp', gone: 'relic' } }]);
      await upsertItems(db, [{ ...item, environment: 'demo', document: { title: 'Of the demo' } }]);
      await saveConfiguration(db, { configurationId: 'c1', document: { constraints: [{ query }] } });
      await db.close();
      return connection;
    },
  });
  const readiness = async (parameters = ''): Promise<[number, Readiness]> => {
    const answer = await fetch(new URL(`/readyz${parameters}`, service.baseUrl));
    return [answer.status, (await answer.json()) as Readiness];
  };
  while ((await readiness())[1].checks.deployment === 'ok') await delay(20);
  const [status, plain] = await readiness();
  t.is(status, 200);
  t.is(plain.checks.deployment, '2 found; see the log');
  t.is(plain.problems, undefined);
  const [, verbose] = await readiness('?verbose');
  t.is(verbose.problems!.length, 2);
  t.true(verbose.problems!.includes(sentence));
  t.true(warnings.includes(sentence));

  const { body } = await createJsonClient(service).post<Answer>(
    '/shop/recommendations/requests',
    { device_id: 'd', page_type: 'home', lists: [{ configuration_id: 'c1', list_name: 'l', list_size: 5 }] },
    { prefer: 'extensions' },
  );
  t.deepEqual(body.extensions.outcomes[0].inapplicable_rules, [
    { pointer: '/constraints/0', key: 'gone', reason: 'undeclared' },
  ]);

  const folder = await mkdtemp(join(tmpdir(), 'deployment-mismatch-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const check = async (text: string) => {
    const file = join(folder, 'next.yaml');
    await writeFile(file, text);
    const words = ['serve', '--check', file, '--database-url', addressOf(service.database.connection)];
    return new Promise<[code: unknown, output: string]>((resolve) =>
      execFile(process.execPath, [program, ...words], (error, stdout) => resolve([error?.code ?? 0, stdout])),
    );
  };
  const [code, output] = await check(after);
  t.is(code, 1);
  t.true(output.startsWith(`${sentence}\n`));
  const [fittingCode, fitting] = await check(before);
  t.is(fittingCode, 0);
  t.regex(fitting, /fits the stored configurations and items/);
});
