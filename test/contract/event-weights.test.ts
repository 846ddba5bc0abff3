/** Event weights of environments apply: with a weight of 0, a view has no effect. */

import { setTimeout as delay } from 'node:timers/promises';
import test from 'ava';
import { newDevice, type Shop, type Shops, series, startShops } from './support/shops.ts';

let shops: Shops;
let any: string;

test.before(async () => {
  const deaf = `
    event_weights: { detail_pageview: 0 }`;
  shops = await startShops(1, { deaf });
  any = await shops.openNamed('deaf').configure({});
});

test.after.always(() => shops?.stop());

/** Six boats, then six lamps, which are newer and therefore first for unknown subjects. */
const stock = async (shop: Shop) => {
  for (const theme of ['boat', 'lamp']) {
    const items = series(theme, 6).map((item_id) => {
      return { item_id, title: `${theme} for the garden`, tags: [theme], categories: [[theme]] };
    });
    await shop.stock('toy', items);
  }
};

const isBoat = (id: string) => id.startsWith('boat');

/** Returns the first four items for a subject with this event on two boats. */
const after = async (shop: Shop, event_type: string): Promise<() => Promise<string[]>> => {
  const device_id = newDevice();
  for (const action_item of ['boat1', 'boat2']) await shop.track({ event_type, action_item, device_id });
  return async () => (await shop.list({ configuration_id: any }, { device_id })).slice(0, 4);
};

/** Models include new items within a second, or with the next training. */
async function until<T>(read: () => Promise<T>, holds: (value: T) => boolean): Promise<T> {
  for (;;) {
    const value = await read();
    if (holds(value)) return value;
    await delay(100);
  }
}

test('a view leads to similar items, unless views have weight 0', async (t) => {
  const [usual, deaf] = [shops.open(), shops.openNamed('deaf')];
  await Promise.all([stock(usual), stock(deaf)]);
  const areBoats = (ids: string[]) => ids.every(isBoat);
  t.true(areBoats(await until(await after(usual, 'detail_pageview'), areBoats)));
  /** Other events still count and make the items similar. */
  t.true(areBoats(await until(await after(deaf, 'add_to_cart'), areBoats)));
  const looker = await after(deaf, 'detail_pageview');
  const stranger = async () => (await deaf.list({ configuration_id: any })).slice(0, 4);
  /** Repeated if models were replaced in between. */
  const [first, second] = await until(
    async () => [await looker(), await stranger()],
    ([one, other]) => one.join() === other.join(),
  );
  t.deepEqual(first, second);
});
