/** The first minutes of a site: items without events, and visitors with one click. */

import { setTimeout as delay } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { idsOf, newDevice, type Shop, type Shops, startShops } from './support/shops.ts';

let shops: Shops;

test.before(async () => {
  shops = await startShops(4);
});

test.after.always(() => shops?.stop());

const topics = {
  sailing: 'Sailing boats, harbours and the tides of the northern sea',
  baking: 'Baking sourdough bread with rye flour in a stone oven',
  orchids: 'Orchids and other flowers for a shady window sill',
};

type Topic = keyof typeof topics;

const perTopic = 8;

/** In one call, so that no item is in the catalogue before the others. */
async function stockTopics(shop: Shop): Promise<void> {
  const ids = Object.keys(topics).flatMap((topic) =>
    Array.from({ length: perTopic }, (_, i) => `${topic}-${i}`),
  );
  await Promise.all(
    ids.map(async (id) => {
      const title = topics[id.split('-')[0] as Topic];
      const { status } = await shop.http.put(`/${shop.environment}/items/video/${id}`, {
        title,
        description: `${title}, part ${id}.`,
      });
      if (status !== 200) throw new Error(`${id}: ${status}`);
    }),
  );
}

/** Repeats until a full list is of the topic; only the test's own time limits it. */
async function comesToLead(
  t: ExecutionContext,
  shop: Shop,
  topic: Topic,
  request: Record<string, unknown>,
): Promise<void> {
  const configuration_id = await shop.configure({});
  const size = perTopic - 2;
  const lists = [{ configuration_id, list_name: 'only', list_size: size }];
  const countOfTopic = async () => {
    const answer = await shop.ask({ ...request, lists });
    return idsOf(answer).filter((id) => id.startsWith(topic)).length;
  };
  let count = await countOfTopic();
  while (count < size) {
    await delay(50);
    count = await countOfTopic();
  }
  t.is(count, size);
}

test('the first item of an environment is recommended in the request after its PUT', async (t) => {
  const shop = shops.open();
  const configuration_id = await shop.configure({});
  const list = { configuration_id };
  t.deepEqual(await shop.list(list), []);
  await shop.stock('video', ['first']);
  t.deepEqual(await shop.list(list), ['first']);
  await shop.stock('video', ['second']);
  t.deepEqual((await shop.list(list)).toSorted(), ['first', 'second']);
});

test('new items are recommended by their content before any event', async (t) => {
  const shop = shops.open();
  await stockTopics(shop);
  await comesToLead(t, shop, 'baking', { context_item: 'baking-0' });
  await comesToLead(t, shop, 'orchids', {
    histories: { viewed: [{ id: 'orchids-3', item_type: 'video', reconsumable: true }] },
  });
});

test('the first click of a visitor decides the next list', async (t) => {
  const shop = shops.open();
  await stockTopics(shop);
  const device_id = newDevice();
  await shop.track({
    event_type: 'detail_pageview',
    device_id,
    action_item: 'sailing-1',
    action_item_type: 'video',
  });
  await comesToLead(t, shop, 'sailing', { device_id });
});

test('an anonymous visitor gets lists based on the context item', async (t) => {
  const shop = shops.open();
  await stockTopics(shop);
  await comesToLead(t, shop, 'orchids', { device_id: 'anonymous', context_item: 'orchids-2' });
  await comesToLead(t, shop, 'baking', { device_id: 'anonymous', context_item: 'baking-2' });
});
