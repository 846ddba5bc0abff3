/** Stock budgets over hours: two nodes on one database, and impressions that arrive late. */

import test, { type ExecutionContext } from 'ava';
import { createGuarantees } from '../../../src/jobs/guarantees/guarantees.ts';
import { withGuarantees } from '../../../src/ranking/lists/guarantees.ts';
import { createListMaker } from '../../../src/ranking/lists/list-maker.ts';
import type { EventRow } from '../../../src/repository/event-row.ts';
import { createShop, ingredientsOf } from '../../ranking/lists/small-shop.ts';
import { createTestDatabase, silentLogger } from '../../support/database.ts';
import { commitEvents } from '../../support/events.ts';
import { createChance } from '../experiments/support.ts';

const turnMs = 5_000;
const hourMs = 3_600_000;
const dayStartMs = 20_255 * 24 * hourMs;

/** Items 0 to 2 have a stock; the lists prefer items of the brand. */
const stocks = [0, 4, 40];
const documents = Array.from({ length: 30 }, (_, i) => ({
  ...{ item_id: `p${i}`, title: `Item ${i}`, brand: i < 4 ? 'acme' : 'other' },
  ...(i < stocks.length && { price: stocks[i] }),
}));

const configuration = {
  stock_budget: { property: 'price', impressions_per_unit: 50 },
  preferences: [{ query: { key: 'brand', match: { value: 'acme' } } }],
};

/** Shows lists for some hours by two nodes; returns the impressions of each item. */
async function simulate(t: ExecutionContext, hours: number) {
  const db = await createTestDatabase(t);
  const shop = await createShop({ documents, events: [] });
  const request = { lists: [{ configuration_id: 'any', list_name: 'l', list_size: 5 }] };
  const given = ingredientsOf(shop, { request, configuration });
  let nowMs = dayStartMs;
  const nodes = [0, 1].map(() =>
    createGuarantees({
      ...{ db, environments: new Map([['shop', shop]]), clock: () => nowMs, logger: silentLogger },
      configurations: { ids: () => ['any'], find: () => given.active[0] },
      isImpression: (eventType) => eventType === 'impression',
    }),
  );
  const make = createListMaker();
  const chance = createChance(3);
  const counts = new Map<string, number>();
  const showList = (node: number, requestId: string): string[] => {
    const asked = withGuarantees(given.request, given.active, requestId, nodes[node]);
    return make({ ...given, request: asked, requestId, nowMs })[0].items.map(({ itemId }) => itemId);
  };
  let late: EventRow[] = [];
  for (let turn = 0; turn < (hours * hourMs) / turnMs; turn++) {
    nowMs = dayStartMs + turn * turnMs;
    await Promise.all(nodes.map(({ run }) => run()));
    const lists = [0.5, 0.2].map((share) => Math.floor(share + chance()));
    const shown = lists.flatMap((count, node) =>
      Array.from({ length: count }, (_, i) => showList(node, `${turn} ${node} ${i}`)).flat(),
    );
    const base = { environment: 'shop', eventType: 'impression', occurredAtMs: nowMs, robot: false };
    const events = shown.map((itemId): EventRow => {
      counts.set(itemId, (counts.get(itemId) ?? 0) + 1);
      return { ...base, deviceId: 'd', itemType: 'product', itemId, details: {} };
    });
    /** The visible part is reported a turn later. */
    if (late.length > 0) await commitEvents(db, late);
    late = events;
  }
  return { counts, nodes, list: () => showList(0, 'end'), shop, given, make };
}

test('an item gets no more impressions than its stock can serve, and nearly as many', async (t) => {
  const { counts, nodes, list, given, make } = await simulate(t, 2);
  t.is(counts.get('p0'), undefined, 'no stock, no impression');
  const few = counts.get('p1')!;
  t.true(few <= 200 && few >= 180, `${few} of 200`);
  t.true(counts.get('p2')! > 500, 'within its budget of 2,000');
  t.true(counts.get('p3')! > 500, 'an item without the property is not limited');
  t.false(list().includes('p1'));
  const request = withGuarantees(given.request, given.active, 'why', nodes[1]);
  const [{ explanation }] = make({
    ...given,
    request: { ...request, explain: { whyNot: [{ itemId: 'p1' }] } },
  });
  t.like(explanation!.whyNot[0], { reason: 'spent' });
});

test('more stock brings the item back', async (t) => {
  const { nodes, list, shop } = await simulate(t, 1);
  t.false(list().includes('p1'));
  const document = { ...documents[1], price: 400 };
  shop.catalog.apply({ itemType: 'product', itemId: 'p1', document, enabled: true, revision: 2 });
  await nodes[0].run();
  t.true(list().includes('p1'));
});
