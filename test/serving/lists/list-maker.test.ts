/** Lists of a small shop: what their settings and the other lists of the request do to them. */

import test from 'ava';
import type { ServingEnvironment } from '../../../src/serving/environment/serving-environment.ts';
import { createListMaker } from '../../../src/serving/lists/list-maker.ts';
import { createShop, type Document, ingredientsOf, nowSeconds } from './small-shop.ts';

/** `p0`, `p1`, … */
const documentsOf = (count: number, describe: (place: number) => object): Document[] =>
  Array.from({ length: count }, (_, place) => ({ item_id: `p${place}`, ...describe(place) }));

const hoursAgo = (hours: number) => new Date((nowSeconds - hours * 3_600) * 1_000).toISOString();

/** One list for each configuration, ids in order of the alphabet. */
function listsOf(shop: ServingEnvironment, configurations: object[], list: object = {}): string[][] {
  const each = configurations.map((configuration) => ingredientsOf(shop, { configuration }).active[0]);
  const lists = each.map((_, place) => ({
    ...{ configuration_id: 'any', list_name: `list ${place}`, list_size: 10 },
    ...list,
  }));
  const made = createListMaker()({ ...ingredientsOf(shop, { request: { lists } }), active: each });
  return made.map(({ items }) => items.map(({ itemId }) => itemId).sort());
}

test('the maximum age of a configuration takes the place of the item type’s, for its own lists alone', async (t) => {
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
