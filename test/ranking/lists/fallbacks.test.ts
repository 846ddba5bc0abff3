/** Fallbacks fill lists in the declared order of steps, with each item of the catalogue once. */

import test from 'ava';
import { defaultFallbacks, type FallbackStep } from '../../../src/deployment/deployment.ts';
import { createFallbacks, type FallbackSource } from '../../../src/ranking/lists/fallbacks.ts';
import { createListMaker } from '../../../src/ranking/lists/list-maker.ts';
import { createShop, type Document, ingredientsOf, nowSeconds } from './small-shop.ts';

const day = 86_400;

/** p0 is the oldest; p2, p3 and p4 trend, p4 on page home; p6, p7 are newer than the training. */
const documents: Document[] = Array.from({ length: 8 }, (_, item) => ({
  item_id: `p${item}`,
  title: `thing ${item}`,
  publication_datetime: new Date((nowSeconds - (8 - item) * day) * 1_000).toISOString(),
}));
const trainedCount = 6;

const views = [
  ['p2', 5, 'detail'],
  ['p3', 3, 'detail'],
  ['p4', 1, 'home'],
] as const;
const events = views.flatMap(([itemId, count, pageType]) =>
  Array.from({ length: count }, (_, visitor) => ({
    subjectKey: `u:${itemId}-${visitor}`,
    itemId,
    itemType: 'product',
    eventType: 'detail_pageview',
    timeSeconds: nowSeconds - 3_600,
    pageType,
  })),
);

const chains: [declared: FallbackStep[], order: string, sources: Partial<Record<FallbackSource, string>>][] =
  [
    [
      ['segment', 'trending', 'newest'],
      '4 2 3 7 6 5 1 0',
      { segment: '4', trending: '2 3', newest: '7 6 5 1 0' },
    ],
    [['trending', 'newest', 'segment'], '2 3 4 7 6 5 1 0', { trending: '2 3 4', newest: '7 6 5 1 0' }],
    [['trending'], '2 3 4 7 6 5 1 0', { trending: '2 3 4', rest: '7 6 5 1 0' }],
    [['newest', 'trending'], '7 6 5 4 3 2 1 0', { newest: '7 6 5 4 3 2 1 0' }],
    [['segment', 'newest'], '4 7 6 5 3 2 1 0', { segment: '4', newest: '7 6 5 3 2 1 0' }],
    [['segment'], '4 2 3 7 6 5 1 0', { segment: '4', rest: '2 3 7 6 5 1 0' }],
  ];

for (const [steps, order, sources] of chains) {
  test(`fallbacks ${steps.join(', ')} give ${order}`, async (t) => {
    const declared = `    fallbacks: [${steps.join(', ')}]\n`;
    const shop = await createShop({ documents, events, declared }, trainedCount);
    const asked = { lists: [{ configuration_id: 'any', list_name: 'l', list_size: 8 }] };
    const [list] = createListMaker()({ ...ingredientsOf(shop, { request: asked }) });
    t.is(list.items.map(({ itemId }) => itemId.slice(1)).join(' '), order);
    t.deepEqual(
      Object.fromEntries(list.steps.map(({ step, itemCount }) => [step, itemCount])),
      Object.fromEntries(Object.entries(sources).map(([step, items]) => [step, items.split(' ').length])),
    );
    t.deepEqual(
      list.steps.map(({ step }) => step),
      Object.keys(sources),
    );
  });

  test(`fallbacks ${steps.join(', ')} predict the place of an item`, async (t) => {
    const shop = await createShop({ documents, events, declared: `    fallbacks: [newest]\n` }, trainedCount);
    const { models, catalog } = shop;
    const fallbacks = createFallbacks();
    fallbacks.begin({ models, catalog, steps, segments: [] });
    const places = documents.map((_, itemIndex) => fallbacks.placeOf(itemIndex));
    const brought: number[] = [];
    for (let part = fallbacks.next(); part !== undefined; part = fallbacks.next()) {
      for (const itemIndex of part.items.subarray(part.start, part.end)) {
        if (brought.includes(itemIndex)) continue;
        t.is(fallbacks.sourceOf(itemIndex), part.source);
        brought.push(itemIndex);
      }
    }
    t.deepEqual(
      brought,
      [...documents.keys()].sort((a, b) => places[a] - places[b]),
    );
  });
}

test('models without the age of trending items place these after the others', async (t) => {
  const shop = await createShop({ documents, events }, trainedCount);
  const fallbacks = createFallbacks();
  fallbacks.begin({
    models: shop.models,
    catalog: shop.catalog,
    steps: ['newest', 'trending'],
    segments: [],
  });
  const brought: string[] = [];
  for (let part = fallbacks.next(); part !== undefined; part = fallbacks.next())
    brought.push(
      ...[...part.items.subarray(part.start, part.end)].map((item) => shop.catalog.itemIdAt(item)),
    );
  t.deepEqual(brought, ['p7', 'p6', 'p5', 'p1', 'p0', 'p2', 'p3', 'p4']);
});

test('personal items and the context item come before all fallbacks and are reported as steps', async (t) => {
  const shop = await createShop({ documents, events });
  const make = createListMaker();
  const stepsOf = (asked: Parameters<typeof ingredientsOf>[1]) =>
    make(ingredientsOf(shop, asked))[0].steps[0];
  t.like(stepsOf({ viewed: ['p2'] }), { step: 'personal' });
  t.like(stepsOf({ request: { context_item: 'p2' } }), { step: 'context_item' });
  t.like(stepsOf({}), { step: 'segment' });
  const content = [{ item_id: 'p0', rank: 1 }];
  const lists = [{ configuration_id: 'any', list_name: 'l', list_size: 2, list_content: content }];
  t.deepEqual(make(ingredientsOf(shop, { request: { lists } }))[0].steps, [
    { step: 'injected', itemCount: 1 },
    { step: 'segment', itemCount: 1 },
  ]);
  t.deepEqual(shop.settings.fallbacks, defaultFallbacks);
});

test('segments apply in their order, including those from properties of the request', async (t) => {
  const declared = '    segments: [tier, page_type]\n    user_properties: [tier]\n';
  const ofTier = events.map((event) => ({
    ...event,
    properties: [event.itemId === 'p3' ? 'gold' : undefined],
  }));
  const shop = await createShop({ documents, events: ofTier, declared }, trainedCount);
  const first = (request: object) =>
    createListMaker()(ingredientsOf(shop, { request }))[0]
      .items.slice(0, 2)
      .map(({ itemId }) => itemId);
  t.deepEqual(first({ tier: 'gold' }), ['p3', 'p4']);
  t.deepEqual(first({ tier: 'tin' }), ['p4', 'p2']);
  t.deepEqual(first({}), ['p4', 'p2']);
});
