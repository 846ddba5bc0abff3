/** Groups change no list of a catalogue without groups. */

import test from 'ava';
import { createListMaker } from '../../../src/ranking/lists/list-maker.ts';
import { fc } from '../../support/properties.ts';
import { createChance } from '../rules/support/chance.ts';
import { createShop, type Document, ingredientsOf, nowSeconds } from './small-shop.ts';

const brands = ['ada', 'bob', 'cyd', 'dee'];
const pageTypes = ['home', 'detail'];

type Shop = { itemCount: number; seed: number };

function documentsOf({ itemCount, seed }: Shop): Document[] {
  const chance = createChance(seed);
  return Array.from({ length: itemCount }, (_, item) => ({
    item_id: `p${item}`,
    title: `${chance.pick(['red', 'blue', 'old'])} ${chance.pick(['lamp', 'boat', 'hat'])} ${item}`,
    categories: [chance.pick(['home', 'sea', 'town'])],
    brand: chance.pick(brands),
    price: chance.between(1, 90),
    publication_datetime: new Date((nowSeconds - chance.between(0, 900) * 3_600) * 1_000).toISOString(),
  }));
}

function eventsOf({ itemCount, seed }: Shop) {
  const chance = createChance(seed + 1);
  return Array.from({ length: 150 }, () => ({
    subjectKey: `u:${chance.between(1, 20)}`,
    itemId: `p${chance.between(0, itemCount - 1)}`,
    itemType: 'product',
    eventType: chance.pick(['detail_pageview', 'add_to_cart', 'purchase']),
    timeSeconds: nowSeconds - chance.between(1, 200) * 3_600,
    pageType: chance.pick(pageTypes),
  }));
}

const brandIs = (brand: string) => ({ key: 'brand', match: { value: brand } });

const arbitraryShop = fc.record({ itemCount: fc.integer({ min: 5, max: 60 }), seed: fc.nat(10_000) });

const constraint = fc.oneof(
  fc.record({
    query: fc.constantFrom(...brands).map(brandIs),
    limit: fc.record({ max: fc.integer({ min: 1, max: 4 }) }),
  }),
  fc.record({
    query: fc.constantFrom(...brands).map(brandIs),
    limit: fc.record({ min: fc.integer({ min: 1, max: 3 }) }),
  }),
  fc.record({
    diversify: fc.constant({ key: 'brand' }),
    limit: fc.record({ max: fc.integer({ min: 1, max: 4 }) }),
  }),
  fc.constant({ query: { key: 'price', lt: { value: 70 } } }),
);
const preference = fc.record({
  query: fc.constantFrom(...brands).map(brandIs),
  weight: fc.integer({ min: -2, max: 3 }),
});

const arbitraryAsk = fc.record({
  constraints: fc.array(constraint, { maxLength: 4 }),
  preferences: fc.array(preference, { maxLength: 2 }),
  viewed: fc.uniqueArray(fc.nat(59), { maxLength: 6 }),
  contextItem: fc.option(fc.nat(59), { nil: undefined }),
  sizes: fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 3 }),
});

test('groups of one item each give the same lists as no groups', async (t) => {
  const property = fc.asyncProperty(
    arbitraryShop,
    fc.array(arbitraryAsk, { minLength: 8, maxLength: 16 }),
    async (shop, asks) => {
      const documents = documentsOf(shop);
      const alone = documents.map((item) => ({ ...item, group_id: `g-${item.item_id}` }));
      const events = eventsOf(shop);
      const [without, within] = await Promise.all([
        createShop({ documents, events }),
        createShop({ documents: alone, events }),
      ]);
      if (within.catalog.groups.count !== shop.itemCount) throw new Error('There are no groups.');
      const makers = [createListMaker(), createListMaker()];
      for (const { constraints, preferences, viewed, contextItem, sizes } of asks) {
        const asked = {
          configuration: { constraints, preferences },
          viewed: viewed.map((item) => `p${item}`),
          request: {
            ...(contextItem !== undefined && { context_item: `p${contextItem}` }),
            lists: sizes.map((size, i) => ({ configuration_id: 'any', list_name: `l${i}`, list_size: size })),
          },
        };
        const [plain, grouped] = [without, within].map((environment, i) =>
          makers[i](ingredientsOf(environment, asked)),
        );
        t.deepEqual(
          grouped.map(({ items, ...list }) => ({
            ...list,
            items: items.map(({ groupSize, ...item }) => item),
          })),
          plain,
        );
      }
    },
  );
  await fc.assert(property, { numRuns: 6 });
});
