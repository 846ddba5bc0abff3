import test from 'ava';
import { entryBytes } from '../../../src/ranking/runtime/cache.ts';
import { createSharedReadings } from '../../../src/repository/events/shared-readings.ts';
import { fc } from '../../support/properties.ts';

test('a text is parsed correctly, regardless of cached and evicted texts', (t) => {
  const unit = fc.constantFrom('a', 'é', '\t', '\ud83d', '\udc1f');
  const property = fc.property(
    fc.array(fc.string({ unit })),
    fc.integer({ min: 1, max: 5 }),
    (texts, most) => {
      const partsOf = createSharedReadings(most * (entryBytes + 20), (text) => text.split('\t'));
      return [...texts, ...texts].every((text) => partsOf(`-${text}-`.slice(1, -1)).join('\t') === text);
    },
  );
  t.notThrows(() => fc.assert(property));
});

test('a repeated text is parsed once, and an evicted one again', (t) => {
  const read: string[] = [];
  const idOf = createSharedReadings(2 * (entryBytes + 2), (text) => {
    read.push(text);
    return text;
  });
  for (const text of ['a', 'b', 'a', 'c', 'a', 'd', 'e', 'b']) idOf(text);
  t.deepEqual(read, ['a', 'b', 'c', 'd', 'e', 'b']);
});
