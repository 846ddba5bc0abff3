import test from 'ava';
import type { ItemTypeSettings } from '../../../../src/deployment/deployment.ts';
import { createCatalog } from '../../../../src/ranking/catalog/catalog.ts';
import { createEmptyModels } from '../../../../src/ranking/environment/serving-models.ts';
import type { HistoryEntry } from '../../../../src/ranking/history.ts';
import { describePerson, findIgnored, type Person } from '../../../../src/ranking/lists/person/person.ts';
import type { HistoryInput } from '../../../../src/ranking/lists/recommendation-request.ts';
import { mostRecents } from '../../../../src/ranking/models/query.ts';

const nowSeconds = 1_000_000;
const itemCount = 300;

const catalog = createCatalog({ properties: [], itemTypes: ['article'] });
for (let i = 0; i < itemCount; i++)
  catalog.apply({ itemType: 'article', itemId: `a${i}`, document: {}, enabled: true, revision: 1 });

const itemType = { name: 'article', reconsumable: false, consumedBy: new Set(['detail_pageview']) };
const itemTypes = new Map([['article', itemType as unknown as ItemTypeSettings]]);
const models = {
  ...createEmptyModels(),
  interestOf: (type: string, id: string) => (type === 'group' && id === 'boats' ? 7 : undefined),
};

const describe = (entries: HistoryEntry[], histories: HistoryInput[][] = []): Person =>
  describePerson(entries, histories, { catalog, models, itemTypes, nowSeconds });

const entry = (eventType: string, itemId: string, secondsAgo = 0): HistoryEntry => ({
  eventType,
  itemType: 'article',
  itemId,
  occurredAtSeconds: nowSeconds - secondsAgo,
});

const itemsOf = ({ recents }: Person) => recents.map(({ itemIndex }) => itemIndex);

test('interests are sorted newest first', (t) => {
  const person = describe([
    entry('add_to_cart', 'a1', 30),
    entry('add_to_cart', 'a2', 10),
    entry('add_to_cart', 'a3', 20),
  ]);
  t.deepEqual(itemsOf(person), [2, 3, 1]);
  t.deepEqual(
    person.recents.map(({ ageSeconds }) => ageSeconds),
    [0, 10, 20],
  );
});

test('a repeated interest is summed at its latest time', (t) => {
  const { recents } = describe([entry('detail_pageview', 'a1', 50), entry('add_to_cart', 'a1', 10)]);
  t.is(recents.length, 1);
  t.like(recents[0], { itemIndex: 1, ageSeconds: 0, weight: 4 });
});

test('impressions consume items if their type says so, and are no interests', (t) => {
  const shown = { ...itemType, consumedBy: new Set(['impression']) } as unknown as ItemTypeSettings;
  const impressions = [entry('impression', 'a1', 50), entry('search_impression', 'a2', 40)];
  const by = (types: typeof itemTypes) =>
    describePerson([], [], { catalog, models, itemTypes: types, nowSeconds, impressions });
  t.like(by(new Map([['article', shown]])), { consumed: [1], recents: [] });
  t.like(by(itemTypes), { consumed: [], recents: [] });
});

test('a retracted interest does not count, and the next one becomes the newest', (t) => {
  const person = describe([
    entry('add_to_cart', 'a1', 20),
    entry('remove_from_cart', 'a1', 10),
    entry('purchase', 'a2', 40),
  ]);
  t.deepEqual(itemsOf(person), [2]);
  t.is(person.recents[0].ageSeconds, 0);
});

test('an impression alone is no interest', (t) => {
  t.deepEqual(itemsOf(describe([entry('impression', 'a1'), entry('search_impression', 'a2')])), []);
});

test('only the newest interests count, up to the limit of the models', (t) => {
  const entries = Array.from({ length: itemCount }, (_, i) => entry('purchase', `a${i}`, itemCount - i));
  const items = itemsOf(describe(entries));
  t.is(items.length, mostRecents);
  t.is(items[0], itemCount - 1);
});

test('items are consumed by the events of their type, and by histories without reconsumable', (t) => {
  const history = [
    { id: 'a5', reconsumable: false },
    { id: 'a6', reconsumable: true },
  ];
  const { consumed } = describe([entry('detail_pageview', 'a1'), entry('purchase', 'a2')], [history]);
  t.deepEqual(
    consumed.toSorted((a, b) => a - b),
    [1, 5],
  );
});

test('later entries of a history are more recent, unless they have timestamps', (t) => {
  const plain = ['a1', 'a2', 'a3'].map((id) => ({ id, reconsumable: true }));
  t.deepEqual(itemsOf(describe([], [plain])), [3, 2, 1]);
  const dated = plain.map((one, i) => ({ ...one, timestampSeconds: nowSeconds - i }));
  t.deepEqual(itemsOf(describe([], [dated])), [1, 2, 3]);
});

test('groups and unknown ids act as interests and segments', (t) => {
  const { recents, categories } = describe(
    [],
    [
      [
        { id: 'boats', itemType: 'group', reconsumable: false },
        { id: 'nobody knows it', reconsumable: false },
      ],
    ],
  );
  t.deepEqual(
    recents.map(({ local }) => local),
    [7],
  );
  t.deepEqual(categories, ['boats', 'nobody knows it']);
});

test('an item that arrives after its event is found once it exists', (t) => {
  const growing = createCatalog({ properties: [], itemTypes: ['article'] });
  const entries = [entry('purchase', 'later')];
  const describeNow = () => describePerson(entries, [], { catalog: growing, models, itemTypes, nowSeconds });
  t.deepEqual(itemsOf(describeNow()), []);
  growing.apply({ itemType: 'article', itemId: 'later', document: {}, enabled: true, revision: 1 });
  t.deepEqual(itemsOf(describeNow()), [0]);
  t.deepEqual(itemsOf(describeNow()), [0]);
});

test('an event has the weight of the environment, or else the default', (t) => {
  const eventWeights = { detail_pageview: 0, add_to_cart: 7 };
  const options = { catalog, models, itemTypes, nowSeconds, eventWeights };
  const entries = [entry('detail_pageview', 'a1'), entry('add_to_cart', 'a2', 1), entry('purchase', 'a3', 2)];
  const { recents, consumed } = describePerson(entries, [], options);
  t.deepEqual(
    recents.map(({ itemIndex, weight }) => [itemIndex, weight]),
    [
      [2, 7],
      [3, 5],
    ],
  );
  /** Items without interest are consumed, too. */
  t.deepEqual(consumed, [1]);
});

test('ignored items are those of the catalogue shown since the last contact, latest first', (t) => {
  const seen = (itemId: string, secondsAgo: number) => entry('impression', itemId, secondsAgo);
  const history = {
    entries: [entry('click_on_recommendation', 'a2', 50), entry('detail_pageview', 'a2', 90)],
    impressions: [seen('a1', 10), seen('nothing known', 20), seen('a2', 30), seen('a2', 60), seen('a1', 70)],
  };
  const found = findIgnored(history, { catalog, itemTypes, nowSeconds });
  t.deepEqual(
    found.map(({ itemIndex, times }) => [itemIndex, Math.round(times)]),
    [
      [1, 2],
      [2, 1],
    ],
  );
  t.deepEqual(findIgnored({ ...history, impressions: [] }, { catalog, itemTypes, nowSeconds }), []);
});
