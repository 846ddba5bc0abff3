import test from 'ava';
import { wilsonHalfWidth } from '../../../src/ranking/lists/exploration.ts';
import { createKeepingListMaker, createListMaker } from '../../../src/ranking/lists/list-maker.ts';
import { createShop, ingredientsOf, nowSeconds } from './small-shop.ts';

const documentsOf = (count: number, rest: (place: number) => object = () => ({})) =>
  Array.from({ length: count }, (_, place) => ({
    item_id: `p${place}`,
    title: `Thing ${place}`,
    ...rest(place),
  }));

const lists = [{ configuration_id: 'any', list_name: 'l', list_size: 10 }];

const made = (shop: Awaited<ReturnType<typeof createShop>>, exploration: object, requestId: string) => {
  const configuration = { exploration: { slots: [3, 4, 5, 6], share: 1, ...exploration } };
  return createListMaker()({ ...ingredientsOf(shop, { request: { lists }, configuration }), requestId })[0];
};

test('a share of lists is explored, each time equally; the others are as without exploration', async (t) => {
  const shop = await createShop({ documents: documentsOf(60), events: [] });
  const [plain] = createListMaker()(ingredientsOf(shop, { request: { lists }, configuration: {} }));
  const rounds = 400;
  let exploredCount = 0;
  for (let round = 0; round < rounds; round++) {
    const list = made(shop, { share: 0.2 }, `request ${round}`);
    t.deepEqual(made(shop, { share: 0.2 }, `request ${round}`), list);
    if (!list.explored) t.deepEqual(list.items, plain.items);
    else {
      exploredCount += 1;
      const outside = list.items.filter(({ rank }) => rank < 3 || rank > 6);
      t.deepEqual(
        outside,
        plain.items.filter(({ rank }) => rank < 3 || rank > 6),
      );
      t.deepEqual(
        list.explored.slots.map(({ rank, itemId }) => [rank, itemId]),
        list.items.filter(({ rank }) => rank >= 3 && rank <= 6).map(({ rank, itemId }) => [rank, itemId]),
      );
    }
  }
  t.true(Math.abs(exploredCount / rounds - 0.2) < 0.06, `${exploredCount}`);
});

test('lists that are not stored, and those of control groups, are not explored', async (t) => {
  const shop = await createShop({ documents: documentsOf(60), events: [] });
  const configuration = { exploration: { slots: [3], share: 1 } };
  const usual = ingredientsOf(shop, { request: { lists }, configuration });
  const make = createListMaker();
  t.truthy(make(usual)[0].explored);
  t.falsy(make({ ...usual, request: { ...usual.request, doNotStore: true } })[0].explored);
  t.falsy(make({ ...usual, identity: { ...usual.identity, lists: 'baseline' } })[0].explored);
});

test('an explored list is not cached, and an unexplored list of the same configuration is', async (t) => {
  const shop = await createShop({ documents: documentsOf(60), events: [] });
  const configuration = { exploration: { slots: [1], share: 0.5 } };
  const { of } = createKeepingListMaker();
  const outcomes = new Set<string>();
  for (let round = 0; round < 40; round++) {
    const ingredients = { ...ingredientsOf(shop, { request: { lists }, configuration }), history: undefined };
    const { lists: answered, isKept } = of({ ...ingredients, requestId: `request ${round}` });
    outcomes.add(`${answered[0].explored !== undefined} ${isKept}`);
  }
  t.deepEqual([...outcomes].sort(), ['false true', 'true false']);
});

test('new items are drawn until they have the impressions of a day or a narrow interval', async (t) => {
  const publishedAt = (days: number) => new Date((nowSeconds - days * 86_400) * 1000).toISOString();
  const documents = documentsOf(60, (place) => ({
    publication_datetime: publishedAt(place < 8 ? 1 + place / 10 : 40),
  }));
  const shop = await createShop({ documents, events: [] });
  let clockSeconds = nowSeconds;
  const drawnIn = (exploration: object) => {
    clockSeconds += 10;
    shop.trends.renew(clockSeconds);
    const drawn = new Set<string>();
    for (let round = 0; round < 60; round++) {
      const { explored } = made(
        shop,
        { item_age_days: 7, slots: [9, 10], ...exploration },
        `request ${round}`,
      );
      for (const { itemId } of explored?.slots ?? []) drawn.add(itemId);
    }
    return drawn;
  };
  t.true([...drawnIn({})].every((itemId) => Number(itemId.slice(1)) < 8));
  const shown = shop.catalog.indexOf('product', 'p3')!;
  for (let visitor = 0; visitor < 50; visitor++) shop.trends.show(shown, nowSeconds, visitor);
  t.true(drawnIn({ daily_impressions: 200 }).has('p3'));
  t.false(drawnIn({ daily_impressions: 20 }).has('p3'));
  t.true(wilsonHalfWidth(3, 100) > 0.03 && wilsonHalfWidth(100, 4_000) < 0.005);
});
