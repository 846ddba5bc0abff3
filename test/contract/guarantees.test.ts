/** Guarantees of impressions: refused documents, lists, progress. */

import { setTimeout as delay } from 'node:timers/promises';
import test from 'ava';
import { runAgainst } from '../cli/support/command.ts';
import { impression } from './support/impressions.ts';
import { type Shops, series, startShops } from './support/shops.ts';

let shops: Shops;

test.before(async () => {
  shops = await startShops(2);
});

test.after.always(() => shops?.stop());

const query = { key: 'title', match: { value: 'Rare' } };
const complete = { query, limit: { min: 1 }, guarantee: { guarantee_id: 'g', daily_impressions: 5_000 } };

for (const [constraints, pointer] of [
  [[{ ...complete, limit: undefined }], '/constraints/0/limit/min'],
  [[{ ...complete, guarantee: { guarantee_id: 'g' } }], '/constraints/0/guarantee'],
  [[complete, complete], '/constraints/1/guarantee/guarantee_id'],
  [[{ ...complete, guarantee: { ...complete.guarantee, daily_share: 0.1 } }], '/constraints/0/guarantee'],
  [
    [{ ...complete, guarantee: { ...complete.guarantee, active_from: 'tomorrow' } }],
    '/constraints/0/guarantee/active_from',
  ],
  [[{ ...complete, query: { key: 'title', match: { variable: { name: 't' } } } }], '/constraints/0/query'],
  [[{ diversify: { key: 'title' }, guarantee: complete.guarantee }], '/constraints/0/guarantee'],
] as const)
  test(`a guarantee with a fault at ${pointer} is refused: ${JSON.stringify(constraints)}`, async (t) => {
    const { http } = shops.openNamed('shop-0');
    const answer = await http.put('/configurations/refused', { constraints });
    t.is(answer.status, 400);
    t.true(JSON.stringify(answer.body).includes(`"${pointer}"`), JSON.stringify(answer.body));
  });

type Listed = { guarantees: { status: string; delivered?: number; target: number; pace?: number }[] };

test('a list has the minimum while the guarantee is behind, and not when it is ahead', async (t) => {
  const shop = shops.open();
  await shop.stock('article', [{ item_id: 'rare', title: 'Rare' }, ...series('article-', 30)]);
  const id = await shop.configure({ constraints: [complete] });
  const ask = () => shop.list({ configuration_id: id, list_name: 'l', list_size: 3 });
  const hasRare = async () => (await ask()).includes('rare');
  const read = async () => (await shop.http.get<Listed>(`/${shop.environment}/guarantees`)).body.guarantees;
  t.false(await hasRare());
  while (!(await hasRare())) await delay(50);
  const [behind] = await read();
  t.like(behind, { configuration_id: id, guarantee_id: 'g', pace: 1 });
  t.true(behind.target > 0 && behind.target <= 5_000);
  for (let i = 0; i < 40; i++)
    await shop.track(impression('rare', { ...{ configuration_id: id, device_id: `d${i}` } }));
  while (await hasRare()) await delay(50);
  const [ahead] = await read();
  t.is(ahead.delivered, 40);
  t.is(ahead.pace ?? 0, 0);
  const { stdout } = await runAgainst(shops.service, 'guarantees', 'list', '--environment', shop.environment);
  t.regex(stdout, new RegExp(`${id} +g +\\w+ +\\d+ +\\d+ +40 +40 +0 %`));
});
