/** Effects of settings and of a request's other lists, on lists of a small shop. */

import test from 'ava';
import type { ServingEnvironment } from '../../../src/ranking/environment/serving-environment.ts';
import type { HistoryEntry } from '../../../src/ranking/history.ts';
import { createListMaker } from '../../../src/ranking/lists/list-maker.ts';
import { createShop, type Document, ingredientsOf, nowSeconds, put } from './small-shop.ts';

/** `p0`, `p1`, … */
const documentsOf = (count: number, describe: (place: number) => object): Document[] =>
  Array.from({ length: count }, (_, place) => ({ item_id: `p${place}`, ...describe(place) }));

const hoursAgo = (hours: number) => new Date((nowSeconds - hours * 3_600) * 1_000).toISOString();

/** One list for each configuration, in alphabetical order of ids. */
function listsOf(shop: ServingEnvironment, configurations: object[], list: object = {}): string[][] {
  const each = configurations.map((configuration) => ingredientsOf(shop, { configuration }).active[0]);
  const lists = each.map((_, place) => ({
    ...{ configuration_id: 'any', list_name: `list ${place}`, list_size: 10 },
    ...list,
  }));
  const made = createListMaker()({ ...ingredientsOf(shop, { request: { lists } }), active: each });
  return made.map(({ items }) => items.map(({ itemId }) => itemId).sort());
}

test('the maximum age of a configuration replaces that of the item type in its own lists only', async (t) => {
  const documents = documentsOf(4, (place) => ({ publication_datetime: hoursAgo(place * 20 + 1) }));
  const shop = await createShop({ documents, events: [], declared: '        maximum_age_hours: 24\n' });
  const configurations = [undefined, 50, 10, undefined].map((maximum_age_hours) =>
    maximum_age_hours ? { freshness: { maximum_age_hours } } : { freshness: { half_life_hours: 1 } },
  );
  const found = [['p0', 'p1'], ['p0', 'p1', 'p2'], ['p0'], ['p0', 'p1']];
  t.deepEqual(listsOf(shop, configurations, { allow_duplicates: true }), found);
  for (const [place, configuration] of configurations.entries())
    t.deepEqual(listsOf(shop, [configuration]), [found[place]]);
});

/** Returns, for each list of the request, its ids and the reasons for missing items. */
function absences(shop: ServingEnvironment, lists: object[], asked: readonly string[]) {
  const named = lists.map((list, place) => ({
    configuration_id: 'any',
    list_name: `list ${place}`,
    ...list,
  }));
  const ingredients = ingredientsOf(shop, { request: { lists: named } });
  ingredients.request.explain = { whyNot: asked.map((itemId) => ({ itemId })) };
  return createListMaker()(ingredients).map(({ items, explanation }) => ({
    ids: items.map(({ itemId }) => itemId),
    reasons: explanation!.whyNot.map(({ reason }) => reason),
  }));
}

test('an item with its group in another list is explained by that list, not as consumed', async (t) => {
  const shop = await createShop({
    documents: documentsOf(6, (place) => ({ group_id: `g${place % 3}` })),
    events: [],
  });
  const placed = { list_content: [{ item_id: 'p0', rank: 1 }] };
  const [first, second] = absences(
    shop,
    [{ list_size: 2, ...placed }, { list_size: 1 }],
    ['p0', 'p1', 'p2', 'p3', 'p4', 'p5'],
  );
  t.deepEqual(first.ids, ['p0', 'p5']);
  t.deepEqual(first.reasons, ['in_list', 'outscored', 'in_group', 'in_group', 'outscored', 'in_list']);
  t.deepEqual(second.ids, ['p4']);
  const elsewhere = 'in_other_list';
  t.deepEqual(second.reasons, [elsewhere, 'in_group', elsewhere, elsewhere, 'in_list', elsewhere]);
});

test('a pinned item is in the list even before its publication', async (t) => {
  const documents = documentsOf(3, (place) => ({ publication_datetime: hoursAgo(place === 2 ? -5 : 5) }));
  const shop = await createShop({ documents, events: [] });
  const placed = { list_size: 2, list_content: [{ item_id: 'p2', rank: 1 }] };
  const [list, other] = absences(shop, [placed, { list_size: 1 }], ['p2']);
  t.deepEqual(list, { ids: ['p2', 'p1'], reasons: ['in_list'] });
  t.deepEqual(other, { ids: ['p0'], reasons: ['unpublished'] });
});

test('a disabled pinned item is dropped and does not exclude others of its group', async (t) => {
  const documents = documentsOf(6, (place) => ({ group_id: `g${place >> 1}` }));
  const shop = await createShop({ documents, events: [] });
  put(shop, documents[5], false);
  const placed = { list_size: 1, list_content: [{ item_id: 'p5', rank: 1 }] };
  const [list, other] = absences(shop, [placed, { list_size: 1 }], ['p5', 'p4']);
  t.deepEqual(list, { ids: ['p4'], reasons: ['disabled', 'in_list'] });
  t.deepEqual(other, { ids: ['p3'], reasons: ['disabled', 'in_other_list'] });
});

for (const rate of [0.4, 1]) {
  test(`at rotation rate ${rate} this share of a list is exchanged if few items are good`, async (t) => {
    const [listSize, rounds] = [5, 200];
    const documents = documentsOf(400, (place) => ({ brand: place % 20 === 0 ? 'rare' : 'usual' }));
    const shop = await createShop({ documents, events: [] });
    const make = createListMaker();
    const constraints = [{ query: { key: 'brand', match: 'rare' } }];
    const lists = ['first', 'second'].map((list_name) => ({
      ...{ configuration_id: 'any', list_name, list_size: listSize },
    }));
    const made = (rotation: object, requestId: string) => {
      const ingredients = ingredientsOf(shop, {
        request: { lists },
        configuration: { constraints, ...rotation },
      });
      return make({ ...ingredients, requestId }).map(({ items }) => items.map(({ itemId }) => itemId));
    };
    const rare = new Set(documents.filter(({ brand }) => brand === 'rare').map(({ item_id }) => item_id));
    const plain = made({}, 'plain')[0];
    let changed = 0;
    for (let round = 0; round < rounds; round++) {
      const [first, second] = made({ rotation: { rate } }, `round ${round}`);
      t.is(new Set([...first, ...second].filter((id) => rare.has(id))).size, listSize * 2);
      changed += first.filter((id) => !plain.includes(id)).length;
    }
    const share = changed / (rounds * listSize);
    t.true(Math.abs(share - rate) < 0.05, `${share}`);
  });
}

for (const rate of [0.4, 1])
  test(`at rotation rate ${rate} this share of a list of items with variants is exchanged`, async (t) => {
    const [listSize, rounds] = [5, 200];
    const groupOf = (itemId: string) => Number(itemId.slice(1)) >> 2;
    const documents = documentsOf(400, (place) => ({ group_id: `g${place >> 2}` }));
    const shop = await createShop({ documents, events: [] });
    const make = createListMaker();
    const lists = [{ configuration_id: 'any', list_name: 'l', list_size: listSize }];
    const made = (configuration: object, requestId: string) => {
      const [{ items }] = make({ ...ingredientsOf(shop, { request: { lists }, configuration }), requestId });
      return items.map(({ itemId }) => groupOf(itemId));
    };
    const plain = made({}, 'plain');
    let changed = 0;
    for (let round = 0; round < rounds; round++) {
      const groups = made({ rotation: { rate } }, `round ${round}`);
      t.is(new Set(groups).size, listSize);
      changed += groups.filter((group) => !plain.includes(group)).length;
    }
    const share = changed / (rounds * listSize);
    t.true(Math.abs(share - rate) < 0.05, `${share}`);
  });

test('the needed score is that of the last item in the list, even if a preferred item has less', async (t) => {
  const titles = ['red oak chair', 'red oak chair two', 'red oak bench', 'red lamp', 'blue boat'];
  const shop = await createShop({
    documents: documentsOf(5, (place) => ({ title: titles[place] })),
    events: [],
  });
  const ingredients = ingredientsOf(shop, {
    request: { lists: [{ configuration_id: 'any', list_name: 'l', list_size: 2 }] },
    configuration: { preferences: [{ query: { key: 'item_id', match: 'p3' } }] },
    viewed: ['p0'],
  });
  ingredients.request.explain = { whyNot: [{ itemId: 'p2' }] };
  const { items, whyNot } = createListMaker()(ingredients)[0].explanation!;
  t.deepEqual(
    items.map(({ itemId }) => itemId),
    ['p3', 'p1'],
  );
  t.true(items[0].score < whyNot[0].score && whyNot[0].score < items[1].score);
  t.like(whyNot[0], { reason: 'outscored', neededScore: items[1].score });
});

test('a configuration says how far a list shows categories in proportion to the interests', async (t) => {
  const words = ['oak chair', 'steel lamp'];
  const documents = documentsOf(40, (place) => ({
    title: `${words[place % 2]} ${place}`,
    categories: [words[place % 2]],
  }));
  const shop = await createShop({ documents, events: [] });
  /** The lamps are older, so that they hardly count in the scores. */
  const viewed = ['p0', 'p2', 'p4', 'p1', 'p3', 'p5'];
  const lampsIn = (configuration: object, request: object = {}) => {
    const [{ items }] = createListMaker()(ingredientsOf(shop, { request, configuration, viewed }));
    return items.filter(({ itemId }) => Number(itemId.slice(1)) % 2 === 1).length;
  };
  const [none, usual, all] = [{ calibration: { strength: 0 } }, {}, { calibration: { strength: 1 } }].map(
    (one) => lampsIn(one),
  );
  /** Half of the interests, less what their time of day takes away. */
  t.true(none < usual && usual <= all && all >= 3 && all <= 6, `${none} ${usual} ${all}`);
  const onPage = { context_item: 'p6' };
  t.is(
    lampsIn({}, onPage),
    lampsIn({ calibration: { strength: 0 } }, onPage),
    'a page with an item may stay narrow',
  );
  t.true(lampsIn({ calibration: { strength: 1 } }, onPage) >= 3);
});

test('items that a visitor without clicks saw three times come last, and a short catalogue still fills the list', async (t) => {
  const documents = documentsOf(12, () => ({}));
  const shop = await createShop({ documents, events: [] });
  const shown = (itemIds: readonly string[], ageSeconds: number) =>
    itemIds.map((itemId) => entryOf('impression', itemId, ageSeconds));
  const listFor = (impressions: HistoryEntry[], entries: HistoryEntry[] = []) => {
    const ingredients = ingredientsOf(shop, { request: { lists: [{ ...aList, list_size: 5 }] } });
    const history = { entries, impressions, consumed: [] };
    return createListMaker()({ ...ingredients, history })[0].items.map(({ itemId }) => itemId);
  };
  const first = listFor([]);
  const thrice = [60, 120, 180].flatMap((age) => shown(first, age));
  const second = listFor(thrice);
  t.deepEqual(
    second.filter((itemId) => first.includes(itemId)),
    [],
  );
  t.deepEqual(listFor([...shown(first, 60), ...shown(first, 120)]), first, 'twice is not enough');
  t.deepEqual(listFor([60, 120, 259_200].flatMap((age) => shown(first, age))), first, 'a day is forgotten');
  const click = entryOf('click_on_recommendation', second[0], 30);
  t.deepEqual(listFor(thrice, [click]).slice(1), first.slice(0, 4), 'a visitor with clicks keeps the order');
  const everything = documents.map(({ item_id }) => item_id);
  t.deepEqual(listFor([60, 120, 180].flatMap((age) => shown(everything, age))), first);
});

const aList = { configuration_id: 'any', list_name: 'list' };

const entryOf = (eventType: string, itemId: string, ageSeconds: number): HistoryEntry => ({
  ...{ eventType, itemType: 'product', itemId },
  occurredAtSeconds: nowSeconds - ageSeconds,
});
