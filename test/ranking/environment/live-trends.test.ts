import test from 'ava';
import { createCatalog } from '../../../src/ranking/catalog/catalog.ts';
import { createLiveTrends } from '../../../src/ranking/environment/live-trends.ts';
import { emptyTrends } from '../../../src/ranking/models/trends/trends.ts';

const nowSeconds = 1_000_000;

function createShop() {
  const catalog = createCatalog({ properties: [], itemTypes: ['article'] });
  const put = (itemId: string, category: string, revision = 1) =>
    catalog.apply({
      ...{ itemType: 'article', itemId, enabled: true, revision },
      document: { item_id: itemId, categories: [category] },
    });
  return { catalog, put, trends: createLiveTrends(catalog) };
}

test('a snapshot includes events after a few seconds, not earlier', (t) => {
  const { put, trends } = createShop();
  const one = put('a1', 'News');
  trends.renew(nowSeconds);
  const { version } = trends;
  trends.add(one, nowSeconds, 7);
  trends.renew(nowSeconds + 1);
  t.is(trends.version, version);
  trends.renew(nowSeconds + 4);
  t.deepEqual([...trends.view.current().overall.items], [one]);
  trends.renew(nowSeconds - 100);
  t.deepEqual([...trends.view.current().overall.items], [one], 'an earlier time changes nothing');
});

test('the category of an item is that of its latest version', (t) => {
  const { put, trends } = createShop();
  const one = put('a1', 'News/Local/Ferries');
  t.is(trends.view.categoryOf(one), 'News/Local');
  put('a1', 'Sports', 2);
  t.is(trends.view.categoryOf(one), 'Sports');
});

test('a follower returns the given snapshot, and the previous one while work runs', (t) => {
  const { catalog, put, trends } = createShop();
  trends.add(put('a1', 'News'), nowSeconds, 7);
  trends.renew(nowSeconds);
  const first = trends.view.current();
  trends.add(put('a2', 'News'), nowSeconds + 5, 8);
  trends.renew(nowSeconds + 5);
  const follower = createLiveTrends(catalog, true);
  follower.renew(nowSeconds);
  t.is(follower.view.current(), emptyTrends);
  follower.replace(first);
  t.is(follower.view.current(), first);
  const second = trends.view.current();
  t.is(
    trends.during(first, () => trends.view.current()),
    first,
  );
  t.throws(() =>
    trends.during(first, () => {
      throw new Error('It failed.');
    }),
  );
  t.is(trends.view.current(), second);
});
