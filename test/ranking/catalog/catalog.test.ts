import test from 'ava';
import { type CatalogRow, createCatalog } from '../../../src/ranking/catalog/catalog.ts';
import { fc } from '../../support/properties.ts';

const itemTypes = ['article', 'video'];

const empty = () =>
  createCatalog({
    itemTypes,
    properties: [
      { name: 'brand', type: 'string' },
      { name: 'price', type: 'number' },
      { name: 'in_stock', type: 'boolean' },
      { name: 'expires', type: 'datetime' },
      { name: 'colours', type: 'string[]' },
    ],
  });

const row = (
  itemId: string,
  document: Record<string, unknown> = {},
  rest: Partial<CatalogRow> = {},
): CatalogRow => ({
  itemType: 'article',
  itemId,
  document,
  enabled: true,
  revision: 1,
  ...rest,
});

test('an item keeps its position through every later row', (t) => {
  const catalog = empty();
  const first = catalog.apply(row('a'));
  const second = catalog.apply(row('b'));
  t.is(catalog.apply(row('a', { title: 'new' }, { revision: 2, enabled: false })), first);
  t.deepEqual([first, second, catalog.itemCount], [0, 1, 2]);
  t.is(catalog.titleAt(first), 'new');
  t.false(catalog.isEnabled(first));
});

test('a row without a newer revision changes no value', (t) => {
  const catalog = empty();
  catalog.apply(row('a', { title: 'two' }, { revision: 2 }));
  catalog.apply(row('a', { title: 'again' }, { revision: 2 }));
  catalog.apply(row('a', { title: 'one' }, { revision: 1 }));
  t.is(catalog.titleAt(0), 'two');
  t.is(catalog.changes.position, 1);
});

test('a newer row replaces the item as a whole', (t) => {
  const catalog = empty();
  const full = { title: 't', tags: ['x', 'y'], price: 2, in_stock: true, brand: 'b', categories: ['A/B'] };
  catalog.apply(row('a', { ...full, item_attributes: { size: 'L' } }));
  catalog.apply(row('a', {}, { revision: 2 }));
  const keys = [...Object.keys(full), 'item_attributes.size'];
  for (const key of keys) t.deepEqual(catalog.column(key)?.valuesAt(0), [], key);
  t.is(catalog.titleAt(0), undefined);
});

test('items of several types may have the same ID', (t) => {
  const catalog = empty();
  const video = catalog.apply(row('a', {}, { itemType: 'video' }));
  t.is(catalog.indexOfId('a'), video);
  const article = catalog.apply(row('a'));
  t.is(catalog.indexOfId('a'), article, 'the first declared type goes first');
  t.is(catalog.indexOfId('a', 'video'), video);
  t.is(catalog.indexOf('video', 'a'), video);
  t.is(catalog.indexOf('video', 'b'), undefined);
  t.is(catalog.itemIdAt(video), 'a');
  t.is(catalog.itemTypeAt(video), 'video');
});

test('an item is servable when enabled, of a declared type and published', (t) => {
  const catalog = empty();
  const publication = { publication_datetime: '2024-05-01T12:00:00+02:00' };
  const publishedMs = Date.UTC(2024, 4, 1, 10);
  catalog.apply(row('plain'));
  catalog.apply(row('disabled', {}, { enabled: false }));
  catalog.apply(row('dated', publication));
  catalog.apply(row('undeclared', {}, { itemType: 'podcast' }));
  t.deepEqual(
    [0, 1, 2, 3].map((itemIndex) => catalog.servable(itemIndex, publishedMs - 1)),
    [true, false, false, false],
  );
  t.true(catalog.servable(2, publishedMs));
  t.is(catalog.publishedAt(2), publishedMs);
  t.is(catalog.publishedAt(0), Number.NaN);
});

test('an item is servable until it expires, and present until then even if it is not published yet', (t) => {
  const catalog = empty();
  const expiredMs = Date.UTC(2024, 4, 1, 10);
  const expiration = { expiration_datetime: '2024-05-01T12:00:00+02:00' };
  catalog.apply(row('sold', expiration));
  catalog.apply(row('later', { ...expiration, publication_datetime: '2025-01-01T00:00:00Z' }));
  catalog.apply(row('off', expiration, { enabled: false }));
  catalog.apply(row('stays'));
  const servable = (nowMs: number) => [0, 1, 2, 3].map((itemIndex) => catalog.servable(itemIndex, nowMs));
  const present = (nowMs: number) => [0, 1, 2, 3].map((itemIndex) => catalog.isPresent(itemIndex, nowMs));
  t.deepEqual(servable(expiredMs - 1), [true, false, false, true]);
  t.deepEqual(present(expiredMs - 1), [true, true, false, true]);
  t.deepEqual(servable(expiredMs), [false, false, false, true]);
  t.deepEqual(present(expiredMs), [false, false, false, true]);
  t.is(catalog.expiresAt(0), expiredMs);
  catalog.apply(row('sold', {}, { revision: 2 }));
  t.true(catalog.servable(0, expiredMs));
});

test('columns return the values of fields and declared properties', (t) => {
  const catalog = empty();
  catalog.apply(
    row('a', {
      title: 'T',
      description: 'D',
      uri: 'https://a',
      language: 'nl',
      tags: ['x', 'y', 'x'],
      categories: ['Food', ' Food / Cheese/', ['Drink', 'Wine']],
      brand: 'b',
      price: 2.5,
      in_stock: false,
      expires: '2024-01-01',
      colours: ['red'],
      undeclared: 'z',
    }),
  );
  const values = (key: string) => catalog.column(key)?.valuesAt(0);
  t.deepEqual(values('item_id'), ['a']);
  t.deepEqual(values('item_type'), ['article']);
  t.deepEqual(['title', 'description', 'uri', 'language'].map(values), [['T'], ['D'], ['https://a'], ['nl']]);
  t.deepEqual(values('tags'), ['x', 'y']);
  t.deepEqual(values('categories'), ['Food/Cheese', 'Drink/Wine'], 'most specific paths only');
  t.deepEqual(['brand', 'price', 'in_stock'].map(values), [['b'], [2.5], [false]]);
  t.deepEqual(values('expires'), ['2024-01-01T00:00:00.000Z']);
  t.deepEqual(values('colours'), ['red']);
  t.is(catalog.column('undeclared'), undefined);
  t.is(catalog.column('environment'), undefined);
});

test('attributes are a list or a map with values of any type', (t) => {
  const catalog = empty();
  const list = [
    { name: 'size', value: 'L' },
    { name: 'size', value: ['M', 3] },
    { name: 'box', value: { w: 1 } },
  ];
  catalog.apply(row('a', { item_attributes: list }));
  catalog.apply(row('b', { item_attributes: { size: 42, fair: true } }));
  const values = (name: string, itemIndex: number) =>
    catalog.column(`item_attributes.${name}`)?.valuesAt(itemIndex);
  t.deepEqual(values('size', 0), ['L', 'M', 3]);
  t.deepEqual(values('size', 1), [42]);
  t.deepEqual(values('fair', 1), [true]);
  t.deepEqual(values('box', 0), []);
  t.deepEqual(values('nowhere', 0), []);
});

test('after any sequence of writes the columns hold the newest documents', (t) => {
  const strings = fc.constantFrom('a', 'b', 'c', 'd');
  const document = fc.record(
    {
      tags: fc.uniqueArray(strings),
      brand: strings,
      price: fc.integer({ min: 0, max: 3 }),
      categories: fc.uniqueArray(
        fc.array(strings, { minLength: 1, maxLength: 3 }).map((path) => path.join('/')),
      ),
      item_attributes: fc.dictionary(strings, fc.oneof(strings, fc.boolean(), fc.integer())),
    },
    { requiredKeys: [] },
  );
  const writes = fc.array(
    fc.tuple(fc.integer({ min: 0, max: 4 }), document, fc.integer({ min: 1, max: 9 })),
    {
      maxLength: 60,
    },
  );
  fc.assert(
    fc.property(writes, (all) => {
      const catalog = empty();
      const newest = new Map<string, { revision: number; document: Record<string, unknown> }>();
      for (const [id, content, revision] of all) {
        const itemId = String(id);
        catalog.apply(row(itemId, content, { revision }));
        if ((newest.get(itemId)?.revision ?? 0) < revision)
          newest.set(itemId, { revision, document: content });
      }
      for (const [itemId, { document: held }] of newest) {
        const itemIndex = catalog.indexOf('article', itemId)!;
        for (const key of ['tags', 'brand', 'price']) {
          t.deepEqual(catalog.column(key)!.valuesAt(itemIndex), [held[key] ?? []].flat());
        }
        const paths = (held.categories ?? []) as string[];
        const specific = paths.filter((path) => !paths.some((other) => other.startsWith(`${path}/`)));
        t.deepEqual(catalog.column('categories')!.valuesAt(itemIndex), specific);
        for (const [name, value] of Object.entries((held.item_attributes ?? {}) as object)) {
          t.deepEqual(catalog.column(`item_attributes.${name}`)!.valuesAt(itemIndex), [value]);
        }
      }
    }),
  );
});

test('a category path is cut at its sixteenth level', (t) => {
  const catalog = empty();
  catalog.apply(row('deep', { categories: [Array.from({ length: 40 }, (_, level) => level).join('/')] }));
  const [path] = catalog.column('categories')!.valuesAt(0);
  t.is(String(path).split('/').length, 16);
});

test('a slash inside a name of a list stays in the name', (t) => {
  const catalog = empty();
  catalog.apply(row('a', { categories: [['Audio', 'TV/Video']] }));
  catalog.apply(row('b', { categories: [['Audio', 'TV']] }));
  const column = catalog.column('categories')!;
  t.deepEqual([column.valuesAt(0), column.valuesAt(1)], [['Audio/TV∕Video'], ['Audio/TV']]);
  const itemsIn = (path: string) => [0, 1].filter(column.matcher({ oneOf: [path] }));
  t.deepEqual(itemsIn('Audio/TV'), [1]);
  t.deepEqual(itemsIn('Audio'), [0, 1]);
  for (const path of ['Audio/TV∕Video', 'Audio/TV/Video']) t.deepEqual(itemsIn(path), [0]);
});

test('many replaced rows with several tags keep all items correct', (t) => {
  const catalog = empty();
  for (let revision = 1; revision <= 2000; revision++) {
    const tags = [`r${revision}`, 'shared', `m${revision % 7}`];
    catalog.apply(row(String(revision % 5), { tags }, { revision }));
  }
  for (let itemIndex = 0; itemIndex < 5; itemIndex++) {
    const last = 1995 + ((Number(catalog.itemIdAt(itemIndex)) + 5) % 5 || 5);
    t.deepEqual(catalog.column('tags')!.valuesAt(itemIndex), [`r${last}`, 'shared', `m${last % 7}`]);
  }
});
