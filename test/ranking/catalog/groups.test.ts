import test from 'ava';
import { createCatalog } from '../../../src/ranking/catalog/catalog.ts';
import { fc } from '../../support/properties.ts';

type Row = { id: number; group?: string; season?: number; number?: number };

function createSeries(rows: readonly Row[]) {
  const catalog = createCatalog({
    properties: [
      { name: 'season', type: 'number' },
      { name: 'number', type: 'number' },
    ],
    itemTypes: ['episode', 'clip'],
    groupOrders: new Map([['episode', ['season', 'number']]]),
  });
  let revision = 0;
  const write = ({ id, group, ...values }: Row, enabled = true) =>
    catalog.apply({
      itemType: 'episode',
      itemId: String(id),
      document: { ...values, group_id: group },
      enabled,
      revision: ++revision,
    });
  for (const row of rows) write(row);
  return { catalog, write };
}

const arbitraryRow = fc.record({
  id: fc.nat(12),
  group: fc.constantFrom('a', 'b', '', undefined),
  season: fc.constantFrom(1, 2, undefined),
  number: fc.constantFrom(1, 2, 3, undefined),
});

test('a group consists of the items last written with its ID, in their order', (t) => {
  fc.assert(
    fc.property(fc.array(arbitraryRow, { maxLength: 40 }), (rows) => {
      const { catalog } = createSeries(rows);
      const latest = new Map(rows.map((row) => [row.id, row]));
      const { groups } = catalog;
      t.is(groups.count, new Set([...latest.values()].flatMap(({ group }) => group || [])).size);
      for (const { id, group } of latest.values()) {
        const code = groups.of(catalog.indexOfId(String(id))!);
        if (!group) t.is(code, -1);
        else {
          const members = groups.membersOf(code).map((itemIndex) => Number(catalog.itemIdAt(itemIndex)));
          const expected = [...latest.values()].filter((other) => other.group === group);
          const place = ({ season = 9, number = 9 }: Row) => season * 10 + number;
          const byPlace = (a: Row, b: Row) =>
            place(a) - place(b) || catalog.indexOfId(String(a.id))! - catalog.indexOfId(String(b.id))!;
          t.deepEqual(
            members,
            expected.sort(byPlace).map((row) => row.id),
          );
        }
      }
    }),
    { numRuns: 100 },
  );
});

test('the size of a group counts its servable items', (t) => {
  const { catalog, write } = createSeries([
    { id: 1, group: 'a' },
    { id: 2, group: 'a' },
    { id: 3, group: 'a' },
    { id: 4 },
  ]);
  const sizeOf = (id: number) => catalog.groupSizeAt(catalog.indexOfId(String(id))!, 0);
  write({ id: 2, group: 'a' }, false);
  t.is(sizeOf(1), 2);
  t.is(sizeOf(4), undefined);
});
