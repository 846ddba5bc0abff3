/** Pages for baskets: complements of a basket, and items bought together. */

import test from 'ava';
import type { EventRow } from '../../src/repository/event-row.ts';
import { commitEvents } from '../support/events.ts';
import { startTestService } from '../support/service.ts';
import { createModels } from './support/models.ts';

const itemType = 'product';
const environmentOf = (name: string) => `
  - name: ${name}
    page_purposes: { basket: complete_basket, detail: bought_together }
    item_types: [ { name: ${itemType}, reconsumable: true } ]`;
const deployment = `environments:${environmentOf('orders')}${environmentOf('visits')}`;

const productCount = 60;

/**
 * Six shelves of ten products with the same words, so that similar content means the same shelf.
 */
const products = Array.from({ length: productCount }, (_, i) => ({
  itemType,
  itemId: `p${i}`,
  document: { title: `shelf${Math.floor(i / 10)} thing`, categories: [`shelf ${Math.floor(i / 10)}`] },
}));

/** Forty sessions of p10, p20 and p30, and others on one shelf or another. */
function sessions(environment: string, eventType: string): EventRow[] {
  const startMs = Date.now() - 20 * 86_400_000;
  return Array.from({ length: 160 }, (_, session) => {
    const shelf = (session % 6) * 10;
    const others = [0, 3, 7].map((step) => `p${shelf + ((session + step) % 10)}`);
    const items = session % 4 === 0 ? ['p10', 'p20', 'p30'] : others;
    return items.map(
      (itemId, step): EventRow => ({
        environment,
        eventType,
        userId: `user${session}`,
        itemType,
        itemId,
        occurredAtMs: startMs + session * 3_600_000 + step * 20_000,
        robot: false,
        details: {},
      }),
    );
  }).flat();
}

type Answer = { lists: { items: { item_id: string }[] }[] };

test('basket lists contain items of the same orders, or of the same visits if there are no purchases', async (t) => {
  const service = await startTestService(t, deployment, { trains: true });
  for (const [environment, eventType] of [
    ['orders', 'purchase'],
    ['visits', 'detail_pageview'],
  ]) {
    const { call, putItems, train } = createModels(service, environment);
    await putItems(products);
    await commitEvents(service.database, sessions(environment, eventType));
    await call('PUT', 'configurations/any', { configuration_id: 'any' });
    t.is((await train()).state, 'published');
    const ask = async (request: object) => {
      const lists = [{ configuration_id: 'any', list_name: 'l', list_size: 5 }];
      const body = { device_id: 'nobody', page_type: 'basket', lists, ...request };
      const answer = await call<Answer>('POST', `${environment}/recommendations/requests`, body);
      return answer.lists[0].items.map(({ item_id: id }) => id);
    };
    const basket = { histories: { basket: [{ id: 'p10' }, { id: 'p20' }] } };
    const [first, ...others] = await ask(basket);
    t.is(first, 'p30', environment);
    t.false(['p10', 'p20'].some((inBasket) => others.includes(inBasket)));
    const beside = await ask({ page_type: 'detail', context_item: 'p20' });
    t.deepEqual(beside.slice(0, 2).toSorted(), ['p10', 'p30'], environment);
    if (environment === 'visits') continue;

    const lists = ['similar', 'bought_together', 'complete_basket', 'similar'].map((purpose, i) => ({
      ...{ configuration_id: 'any', list_name: `${i}`, list_size: 5, purpose, allow_duplicates: true },
    }));
    const page = { device_id: 'nobody', context_item: 'p20', ...basket, lists };
    const answer = await call<Answer>('POST', `${environment}/recommendations/requests`, {
      ...{ ...page, page_type: 'other', context_item: 'p20' },
    });
    const together = answer.lists.map(({ items }) => items.map(({ item_id: id }) => id));
    const alone = [];
    for (const one of lists) alone.push(await ask({ ...page, page_type: 'detail', lists: [one] }));
    t.deepEqual(together, alone, 'a page holds lists of several purposes, whatever its own');
    t.notDeepEqual(together[0], together[1]);
    await call('PUT', 'configurations/beside', { configuration_id: 'beside', purpose: 'bought_together' });
    const configured = {
      page_type: 'basket',
      context_item: 'p20',
      lists: [{ ...lists[0], configuration_id: 'beside' }],
    };
    const { purpose: _, ...unnamed } = configured.lists[0];
    t.deepEqual(await ask({ ...configured, lists: [unnamed] }), beside, 'the configuration names one');
    t.deepEqual(
      await ask({ ...configured, ...basket }),
      together[0],
      'a list comes before its configuration',
    );

    const put = (itemId: string, type = 'add_to_cart') =>
      call('POST', `${environment}/events`, {
        events: [{ event_type: type, device_id: 'shopper', action_item: itemId, action_item_type: itemType }],
      });
    await put('p10');
    await put('p20');
    t.is((await ask({ device_id: 'shopper' }))[0], 'p30', 'what is in the cart is the basket');
    await put('p10', 'remove_from_cart');
    await put('p20', 'remove_from_cart');
    const empty = await ask({ device_id: 'shopper' });
    t.is(empty.length, 5, 'an empty cart leaves a list as elsewhere');
  }
});
