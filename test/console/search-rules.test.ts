/** Search rules of a document. */

import test from 'ava';
import type { Document } from '../../src/console/grammar/document.ts';
import {
  arrangementOf,
  hiddenFrom,
  pinnedAt,
  steersAllSites,
  unhidden,
  unpinned,
  weighted,
  weightOfItem,
} from '../../src/console/grammar/search-rules.ts';

for (const [document, steersAll] of [
  [{}, false],
  [{ search: {} }, true],
  [{ search: { environments: [] } }, true],
  [{ search: { environments: ['shop'] } }, false],
] as [Document, boolean][]) {
  test(`${JSON.stringify(document)} ${steersAll ? 'changes' : 'does not change'} every site`, (t) => {
    t.is(steersAllSites(document), steersAll);
  });
}

for (const isSearch of [false, true])
  test(`items of rule sets of ${isSearch ? 'searches' : 'lists'} are pinned, hidden and weighted by hand`, (t) => {
    const start: Document = isSearch ? { constraints: [], search: {} } : { constraints: [] };
    const [a, b, c] = ['a', 'b', 'c'].map((item_id) => ({ item_id, item_type: 'product' }));
    const ranksOf = (document: Document) =>
      (arrangementOf(document).pins ?? []).map(({ item_id, rank }) => `${item_id}${rank}`).join(' ');
    const both = pinnedAt(pinnedAt(start, a, 2), b, 3);
    t.is(ranksOf(both), 'a2 b3');
    t.is(ranksOf(pinnedAt(both, c, 2)), 'c2 a3 b4', 'pins make room');
    t.is(ranksOf(pinnedAt(both, c, 1)), 'c1 a2 b3');
    t.is(ranksOf(pinnedAt(both, b, 2)), 'b2 a3', 'an item is pinned once');
    t.is(ranksOf(pinnedAt(pinnedAt(start, a, 100), b, 100)), 'b100', 'beyond the last rank a pin ends');
    const hidden = hiddenFrom(both, a);
    t.is(ranksOf(hidden), 'b3');
    t.deepEqual(arrangementOf(hidden).hides, [a]);
    t.deepEqual(arrangementOf(pinnedAt(hidden, a, 1)).hides, undefined);
    t.deepEqual(unhidden(hidden, { item_id: 'a' }), unpinned(both, a));
    t.deepEqual(unpinned(unpinned(both, a), b), start);
    const boosted = weighted(weighted(start, 'a', 1), 'a', -1);
    t.is(weightOfItem(boosted, 'a'), -1);
    t.deepEqual(weighted(boosted, 'a', 0), { ...start, preferences: [] });
    t.is('search' in both, isSearch);
  });
