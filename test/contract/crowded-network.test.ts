/**
 * One peer that imitates many devices: most of them count as robots, and the diagnosis reports it.
 */

import test, { type ExecutionContext } from 'ava';
import { createJsonClient } from '../support/json-client.ts';
import { requestToken, startTestService } from '../support/service.ts';
import { createClients } from './support/clients.ts';

const deployment = `
server: { trusted_proxies: ["127.0.0.0/8", "::1"] }
environments:
  - name: shop
    item_types: [ { name: product } ]
`;

const origin = 'https://shop.example';

/** A service in its second hour, with a write key of its pages. */
async function start(t: ExecutionContext) {
  let aheadMs = 0;
  const service = await startTestService(t, deployment, { watch: { clock: () => Date.now() + aheadMs } });
  const key = await createClients(service).createWriteKey({ scopes: ['events:shop'], origins: [origin] });
  aheadMs = 3_600_000;
  const authorization = `Bearer ${await requestToken(service.baseUrl, service.admin)}`;
  const pages = createJsonClient({ baseUrl: service.baseUrl, authorization: '' });
  const backEnd = createJsonClient({ baseUrl: service.baseUrl, authorization });
  const view = (device_id: string) => ({ event_type: 'page_visit', page_type: 'home', device_id });
  return {
    service,
    backEnd,
    async visit(address: string, devices: string[]) {
      const headers = { origin, 'x-forwarded-for': address };
      const events = devices.map(view);
      const { status, body } = await pages.post(`/shop/events?write_key=${key}`, { events }, headers);
      t.is(status, 200, JSON.stringify(body));
    },
    async send(devices: string[]) {
      t.is((await backEnd.post('/shop/events', { events: devices.map(view) })).status, 200);
    },
    async countRobots(prefix: string): Promise<number> {
      const { rows } = await service.database.pool.query(
        'select count(*)::int as count from events where robot and starts_with(device_id, $1)',
        [prefix],
      );
      return rows[0].count;
    },
  };
}

const named = (prefix: string, count: number) => Array.from({ length: count }, (_, i) => `${prefix}-${i}`);

test('a peer with many devices counts as a hundred, and visitors and back ends are not affected', async (t) => {
  const { visit, send, countRobots } = await start(t);
  for (let i = 0; i < 25; i++) await visit(`198.51.${i}.1`, named(`visitor-${i}`, 2));
  await visit('203.0.113.9', named('played', 100));
  await visit('203.0.113.10', named('more', 100));
  await visit('203.0.113.9', named('played', 100));
  await send(named('sent', 150));
  t.is(await countRobots('played'), 0);
  t.is(await countRobots('more'), 100);
  t.is(await countRobots('visitor'), 0);
  t.is(await countRobots('sent'), 0);
});

test('behind an undeclared proxy all visitors count, and the diagnosis names the network', async (t) => {
  const { visit, countRobots, backEnd } = await start(t);
  for (const part of ['a', 'b', 'c']) await visit('10.1.2.3', named(part, 100));
  await visit('198.51.100.1', ['direct']);
  for (const part of ['a', 'b', 'c']) t.is(await countRobots(part), 0);
  type Diagnosis = { findings: { check: string; count: number; examples: string[] }[] };
  const { findings } = (await backEnd.get<Diagnosis>('/shop/diagnosis')).body;
  const found = findings.find(({ check }) => check === 'shared_network');
  t.like(found, { count: 300, of_count: 301, examples: ['network 10.1.2'] } as never);
});
