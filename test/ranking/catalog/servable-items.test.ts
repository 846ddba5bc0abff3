import test from 'ava';
import { createCatalog } from '../../../src/ranking/catalog/catalog.ts';
import { createServableItems } from '../../../src/ranking/catalog/servable-items.ts';
import { fc } from '../../support/properties.ts';

const momentOf = (second: number | undefined) =>
  second === undefined ? undefined : new Date(second * 1000).toISOString();

const arbitrarySecond = fc.option(fc.integer({ min: 1, max: 9 }), { nil: undefined });

const arbitraryStep = fc.oneof(
  fc.record({
    id: fc.nat(20),
    enabled: fc.boolean(),
    published: arbitrarySecond,
    expires: arbitrarySecond,
    itemType: fc.constantFrom('item', 'undeclared'),
  }),
  fc.record({ second: fc.nat(10), most: fc.constantFrom(undefined, 1, 4) }),
);

test('after any writes and at any time, the bytes agree with the catalogue', (t) => {
  fc.assert(
    fc.property(fc.array(arbitraryStep, { maxLength: 60 }), (steps) => {
      const catalog = createCatalog({ properties: [], itemTypes: ['item'], changeCapacity: 8 });
      const servable = createServableItems(catalog);
      let last = { version: -1, shownVersion: -1, bytes: new Uint8Array(0) };
      for (const [revision, step] of steps.entries()) {
        if ('id' in step) {
          const { id, itemType, enabled, published, expires } = step;
          const document = {
            publication_datetime: momentOf(published),
            expiration_datetime: momentOf(expires),
          };
          catalog.apply({ itemType, itemId: String(id), document, enabled, revision });
          continue;
        }
        const nowMs = step.second * 1000;
        if (!servable.moveTo(nowMs, step.most)) continue;
        const expected = Array.from({ length: catalog.itemCount }, (_, i) =>
          Number(catalog.servable(i, nowMs)),
        );
        t.deepEqual([...servable.bytes.slice(0, catalog.itemCount)], expected);
        t.is(
          servable.count,
          expected.reduce((sum, one) => sum + one, 0),
        );
        const { version, shownVersion } = servable;
        if (version === last.version || shownVersion === last.shownVersion)
          t.deepEqual(servable.bytes.slice(0, last.bytes.length), last.bytes);
        last = { version, shownVersion, bytes: servable.bytes.slice(0, catalog.itemCount) };
      }
    }),
    { numRuns: 300 },
  );
});
