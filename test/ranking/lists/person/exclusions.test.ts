import test from 'ava';
import type { ItemTypeSettings } from '../../../../src/deployment/deployment.ts';
import { createCatalog } from '../../../../src/ranking/catalog/catalog.ts';
import { createExclusions } from '../../../../src/ranking/lists/person/exclusions.ts';

const hourMs = 3_600_000;
const nowMs = Date.parse('2025-01-10T00:00:00Z');

function createStock() {
  const catalog = createCatalog({ properties: [], itemTypes: ['news', 'book'] });
  let count = 0;
  /** Returns the item's position. */
  const add = (itemType: string, hoursOld?: number) => {
    const published = hoursOld === undefined ? undefined : new Date(nowMs - hoursOld * hourMs).toISOString();
    const document = { publication_datetime: published };
    return catalog.apply({ itemType, itemId: `${count++}`, document, enabled: true, revision: 1 });
  };
  return { catalog, add };
}

const typesOf = (...types: Partial<ItemTypeSettings>[]) =>
  new Map(types.map((type) => [type.name!, type as ItemTypeSettings]));

test('exclusions and uses of one request do not affect the next, even after the catalogue grows', (t) => {
  const { catalog, add } = createStock();
  const exclusions = createExclusions();
  const first = add('news');
  exclusions.begin(catalog, typesOf({ name: 'news' }), nowMs);
  exclusions.forbidAll([first]);
  exclusions.use(first);
  t.true(exclusions.forbids(first) && exclusions.isUsed(first) && exclusions.anyUsed);
  const second = add('news');
  exclusions.begin(catalog, typesOf({ name: 'news' }), nowMs);
  for (const item of [first, second]) t.false(exclusions.forbids(item) || exclusions.isUsed(item));
  t.false(exclusions.anyUsed);
  exclusions.forbidAll([second]);
  exclusions.use(first);
  exclusions.use(undefined);
  t.deepEqual([exclusions.forbids(first), exclusions.forbids(second)], [false, true]);
  t.deepEqual([exclusions.isUsed(first), exclusions.isUsed(second)], [true, false]);
});

test('the maximum age is that of the item’s own type', (t) => {
  const { catalog, add } = createStock();
  const exclusions = createExclusions();
  const [fresh, old, undated, oldBook] = [add('news', 23), add('news', 25), add('news'), add('book', 1_000)];
  exclusions.begin(catalog, typesOf({ name: 'news', maximumAgeHours: 24 }, { name: 'book' }), nowMs);
  t.deepEqual(
    [fresh, old, undated, oldBook].map((item) => exclusions.isTooOld(item)),
    [false, true, false, false],
  );
});

test('a variant excludes its group, an episode only itself', (t) => {
  const catalog = createCatalog({
    properties: [{ name: 'number', type: 'number' }],
    itemTypes: ['product', 'episode'],
    groupOrders: new Map([['episode', ['number']]]),
  });
  const add = (itemType: string, itemId: string, group_id?: string) =>
    catalog.apply({ itemType, itemId, document: { group_id }, enabled: true, revision: 1 });
  const [small, medium, other, one, two] = [
    add('product', 'tee-s', 'tee'),
    add('product', 'tee-m', 'tee'),
    add('product', 'cap'),
    add('episode', 'e1', 'series'),
    add('episode', 'e2', 'series'),
  ];
  const exclusions = createExclusions();
  exclusions.begin(catalog, typesOf({ name: 'product' }, { name: 'episode' }), nowMs);
  exclusions.forbidAll([small, one]);
  const forbidden = [small, medium, other, one, two].filter(exclusions.forbids);
  t.deepEqual(forbidden, [small, medium, one]);
  t.deepEqual([small, medium, two].filter(exclusions.isGroupForbidden), [medium]);
});
