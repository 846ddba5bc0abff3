/** Pins and hides of a configuration, against a brute-force reading of their definition. */

import test from 'ava';
import type { ServingEnvironment } from '../../../src/ranking/environment/serving-environment.ts';
import { createListMaker } from '../../../src/ranking/lists/list-maker.ts';
import { fc } from '../../support/properties.ts';
import { createShop, type Document, ingredientsOf } from './small-shop.ts';

const brands = ['Aka', 'Bel', 'Cor'];
const itemCount = 14;

/** Some items share a group; two have no brand. */
const documents: Document[] = Array.from({ length: itemCount }, (_, i) => ({
  item_id: `p${i}`,
  price: i,
  ...(i < 12 && { brand: brands[i % 3] }),
  ...(i % 5 === 0 && { group_id: `g${i % 2}` }),
}));
const documentOf = new Map(documents.map((document) => [document.item_id, document]));
const brandOf = (itemId: string) => documentOf.get(itemId)?.brand as string | undefined;

const shop: Promise<ServingEnvironment> = createShop({ documents, events: [] });

type Pin = { item_id: string; rank: number };
type Case = {
  pins: Pin[];
  hides: string[];
  content: Pin[];
  size: number;
  context: string;
  mostOf: number;
  mostEach: number;
  leastOf: number;
  leastPrice: number;
  isApart: boolean;
};

const itemIds = documents.map(({ item_id }) => item_id);
const pinsUpTo = (most: number, maximumRank: number) =>
  fc.uniqueArray(
    fc.record({ item_id: fc.constantFrom(...itemIds), rank: fc.integer({ min: 1, max: maximumRank }) }),
    {
      maxLength: most,
      comparator: (a, b) => a.item_id === b.item_id || a.rank === b.rank,
    },
  );

const cases: fc.Arbitrary<Case> = fc.record({
  pins: pinsUpTo(7, 12),
  hides: fc.subarray(itemIds, { maxLength: 3 }),
  content: pinsUpTo(2, 4),
  size: fc.integer({ min: 4, max: 16 }),
  context: fc.constantFrom(...itemIds),
  mostOf: fc.integer({ min: 1, max: 4 }),
  mostEach: fc.integer({ min: 1, max: 4 }),
  leastOf: fc.integer({ min: 0, max: 3 }),
  leastPrice: fc.integer({ min: 0, max: 4 }),
  isApart: fc.boolean(),
});

function constraintsOf({ mostOf, mostEach, leastOf, leastPrice, isApart }: Case): object[] {
  const apart = ['Aka', 'Cor'].map((match) => ({ key: 'brand', match }));
  return [
    { query: { key: 'price', gte: leastPrice } },
    { query: { key: 'brand', match: 'Bel' }, limit: { max: mostOf, min: Math.min(mostOf, leastOf) } },
    { diversify: { key: 'brand' }, limit: { max: mostEach } },
    ...(isApart ? [{ never_together: apart }] : []),
  ];
}

/** Reads the definition: by rank, each pin that together with the placed items keeps all rules. */
function pinsShown(given: Case): Pin[] {
  const { content, size, context, mostOf, mostEach, leastPrice, isApart } = given;
  const hidden = new Set(given.hides);
  const shown: Pin[] = [];
  const groupOf = (itemId: string) => documentOf.get(itemId)?.group_id;
  for (const pin of given.pins.toSorted((a, b) => a.rank - b.rank)) {
    const others = [...content, ...shown].map(({ item_id }) => item_id);
    const { item_id: itemId } = pin;
    const [brand, group] = [brandOf(itemId), groupOf(itemId)];
    if (
      others.includes(itemId) ||
      hidden.has(itemId) ||
      (documentOf.get(itemId)!.price as number) < leastPrice
    )
      continue;
    if (
      itemId === context ||
      (group && (group === groupOf(context) || others.some((one) => groupOf(one) === group)))
    )
      continue;
    const same = brand ? others.filter((one) => brandOf(one) === brand).length : 0;
    if (same >= mostEach && brand) continue;
    if (brand === 'Bel' && same >= mostOf) continue;
    const far = brand === 'Aka' ? 'Cor' : brand === 'Cor' ? 'Aka' : undefined;
    if (isApart && far && others.some((one) => brandOf(one) === far)) continue;
    let { rank } = pin;
    while ([...content, ...shown].some((one) => one.rank === rank)) rank += 1;
    if (rank <= size) shown.push({ item_id: itemId, rank });
  }
  return shown;
}

test('pins are at their ranks within all rules, and the rest of the list is as around placed items', async (t) => {
  const environment = await shop;
  const make = createListMaker();
  fc.assert(
    fc.property(cases, (drawn) => {
      const content = drawn.content.filter(({ rank }) => rank <= drawn.size);
      const given = {
        ...drawn,
        content,
        hides: drawn.hides.filter((id) => !content.some((one) => one.item_id === id)),
      };
      const constraints = constraintsOf(given);
      const listOf = (list_content: Pin[]) => ({
        context_item: given.context,
        lists: [{ configuration_id: 'any', list_name: 'l', list_size: given.size, list_content }],
      });
      const hides = given.hides.map((item_id) => ({ item_id }));
      const pinned = ingredientsOf(environment, {
        request: listOf(content),
        configuration: { constraints, pins: given.pins, hides },
      });
      pinned.request.explain = { whyNot: given.hides.map((itemId) => ({ itemId })) };
      const shown = pinsShown(given);
      const placed = ingredientsOf(environment, {
        request: listOf([...content, ...shown]),
        configuration: { constraints, hides },
      });
      const [one] = make(pinned);
      const [other] = make(placed);
      t.deepEqual(
        one.items.map(({ itemId }) => itemId),
        other.items.map(({ itemId }) => itemId),
      );
      t.deepEqual(one.unmet, other.unmet);
      const pins = one.explanation!.items.filter(({ source }) => source === 'pinned');
      t.deepEqual(
        pins.map(({ itemId }) => itemId).toSorted(),
        shown.map(({ item_id }) => item_id).toSorted(),
      );
      if (one.items.length === given.size)
        t.deepEqual(
          new Set(pins.map(({ itemId, rank }) => `${itemId} ${rank}`)),
          new Set(shown.map(({ item_id, rank }) => `${item_id} ${rank}`)),
        );
      const ranks = one.items.map(({ rank }) => rank);
      if (content.length === 0)
        t.deepEqual(
          ranks,
          ranks.map((_, i) => i + 1),
          'a short list has no gaps',
        );
      for (const { reason } of one.explanation!.whyNot) t.is(reason, 'hidden');
    }),
    { numRuns: 400 },
  );
});

test('a pin is in one list of a request, and in the first list that pins it', async (t) => {
  const environment = await shop;
  const lists = ['a', 'b', 'c'].map((list_name) => ({ configuration_id: 'any', list_name, list_size: 3 }));
  const ingredients = ingredientsOf(environment, { request: { lists } });
  const pinsOf = (ids: string[]) => ids.map((itemId, i) => ({ itemId, rank: i + 1 }));
  const [first] = ingredients.active;
  const withPins = (ids: string[]) => ({ ...first, settings: { ...first.settings, pins: pinsOf(ids) } });
  const active = [first, withPins(['p13', 'p12']), withPins(['p12', 'p11'])];
  const made = createListMaker()({ ...ingredients, active });
  const ids = made.map(({ items }) => items.map(({ itemId }) => itemId));
  t.deepEqual(ids[1].slice(0, 2), ['p13', 'p12']);
  t.is(ids[2][1], 'p11');
  t.is(new Set(ids.flat()).size, 9, 'no item is in two lists');
  t.deepEqual(made[2].steps[0], { step: 'pinned', itemCount: 1 });
});
