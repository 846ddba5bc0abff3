/** Guarantees of impressions: refused documents, lists, progress. */

import { setTimeout as delay } from 'node:timers/promises';
import test from 'ava';
import { runAgainst } from '../cli/support/command.ts';
import { click, impression } from './support/impressions.ts';
import { type Document, type Shops, series, startShops } from './support/shops.ts';

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

type Listed = {
  guarantees: {
    status: string;
    delivered?: number;
    target: number;
    pace?: number;
    total_clicks?: number;
    clicks_forgone?: number;
  }[];
};

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
  t.like(behind, { configuration_id: id, guarantee_id: 'g' });
  t.true(behind.pace! > 0.999);
  t.true(behind.target > 0 && behind.target <= 5_000);
  for (let i = 0; i < 40; i++)
    await shop.track(impression('rare', { ...{ configuration_id: id, device_id: `d${i}` } }));
  while (await hasRare()) await delay(50);
  /** The list may know before all impressions are counted. */
  while ((await read())[0].delivered !== 40) await delay(50);
  const [ahead] = await read();
  t.is(ahead.delivered, 40);
  t.is(ahead.pace ?? 0, 0);
  const { stdout } = await runAgainst(shops.service, 'guarantees', 'list', '--environment', shop.environment);
  t.regex(stdout, new RegExp(`${id} +g +\\w+ +\\d+ +\\d+ +40 +40 +0 %`));
  const seen = { configuration_id: id, device_id: 'd' };
  for (let i = 1; i <= 10; i++) await shop.track(impression(`article-${i}`, seen));
  for (let i = 1; i <= 2; i++) await shop.track(click(`article-${i}`, seen));
  await shop.track(click('rare', seen));
  while ((await read())[0].total_clicks !== 3);
  t.is((await read())[0].clicks_forgone, 40 * (2 / 10) - 1);
});

const budget = { property: 'rating', impressions_per_unit: 50 };

for (const [document, pointer] of [
  [{ stock_budget: { ...budget, property: 'raiting' } }, '/stock_budget/property'],
  [{ stock_budget: { property: 'rating' } }, '/stock_budget/impressions_per_unit'],
  [{ stock_budget: { ...budget, impressions_per_unit: 0 } }, '/stock_budget/impressions_per_unit'],
  [{ stock_budget: budget, search: {} }, '/stock_budget'],
] as [Document, string][])
  test(`a stock budget with a fault at ${pointer} is refused: ${JSON.stringify(document)}`, async (t) => {
    const { http } = shops.openNamed('shop-0');
    const answer = await http.put('/configurations/refused', document);
    t.is(answer.status, 400);
    t.true(JSON.stringify(answer.body).includes(`"${pointer}"`), JSON.stringify(answer.body));
  });

test('lists leave out items whose stock can serve no more impressions today, over all transports', async (t) => {
  const shop = shops.open();
  const rated = series('rated-', 3).map((id, i) => ({ item_id: id, rating: i }));
  await shop.stock('article', [...rated, ...series('article-', 3)]);
  const id = await shop.configure({ stock_budget: budget });
  const list = async () =>
    (await shop.list({ configuration_id: id, list_name: 'l', list_size: 9 })).toSorted();
  while ((await list()).length > 5);
  t.false((await list()).includes('rated-1'), 'no stock');
  for (let i = 0; i < 50; i++) await shop.track(impression('rated-2', { device_id: `d${i}` }));
  while ((await list()).length > 4);
  t.deepEqual(await list(), [...series('article-', 3), 'rated-3']);
});
