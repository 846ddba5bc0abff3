/** A database that accepts no writes for a while, as after a failover. */

import { setTimeout as delay } from 'node:timers/promises';
import test from 'ava';
import { databaseFaults } from '../../src/repository/database.ts';
import { createLogger } from '../../src/servers/telemetry/logger.ts';
import { createJsonClient } from '../support/json-client.ts';
import { startTestService } from '../support/service.ts';

test('a node whose database is read-only is not ready, and says why in readiness, answers and log', async (t) => {
  const logged = new Set<unknown>();
  const warn = ({ database }: { database?: string }) => void logged.add(database);
  const logger = Object.assign(Object.create(createLogger('silent')), { warn });
  const service = await startTestService(t, undefined, { watch: { logger } });
  const { database, baseUrl } = service;
  const client = createJsonClient(service);
  const switchTo = async (state: 'on' | 'off') => {
    const administrator = await database.pool.connect();
    const { database: name } = database.connection;
    await administrator.query('set default_transaction_read_only = off');
    await administrator.query(`alter database ${name} set default_transaction_read_only = ${state}`);
    await administrator.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and pid <> pg_backend_pid()',
      [name],
    );
    administrator.release(true);
  };
  const awaitReadiness = async (expected: number) => {
    for (;;) {
      const answer = await fetch(new URL('/readyz', baseUrl));
      const { checks } = (await answer.json()) as { checks: { database: string } };
      if (answer.status === expected && checks.database !== 'unreachable') return checks.database;
      await delay(20);
    }
  };

  await switchTo('on');
  t.is(await awaitReadiness(503), databaseFaults.readOnly);
  t.true(logged.has(databaseFaults.readOnly));
  const refused = await client.put<{ detail: string }>('/shop/items/product/lamp', { title: 'Lamp' });
  t.is(refused.status, 503);
  t.is(refused.body.detail, databaseFaults.readOnly);
  await switchTo('off');
  t.is(await awaitReadiness(200), 'ok');
  t.is((await client.put('/shop/items/product/lamp', { title: 'Lamp' })).status, 200);
});
