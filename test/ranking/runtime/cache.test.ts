import test from 'ava';
import { createCache, entryBytes } from '../../../src/ranking/runtime/cache.ts';
import { fc } from '../../support/properties.ts';

test('all entries with their keys stay within the bytes', (t) => {
  const entries = fc.array(fc.tuple(fc.string({ maxLength: 400 }), fc.nat(2_000)), { maxLength: 200 });
  fc.assert(
    fc.property(entries, (sets) => {
      const cache = createCache<{ size: number }>({ maxBytes: 10_000, bytesOf: ({ size }) => size });
      for (const [key, size] of sets) {
        cache.set(key, { size });
        t.true(cache.bytes <= 10_000);
        t.true(cache.bytes >= cache.entryCount * entryBytes);
      }
    }),
  );
});

test('the least recently used entry is evicted first, and peek is no use', (t) => {
  const cache = createCache<number>({ maxBytes: 2 * (entryBytes + 2) });
  cache.set('a', 1);
  cache.set('b', 2);
  t.is(cache.get('a'), 1);
  t.is(cache.peek('b'), 2);
  cache.set('c', 3);
  t.deepEqual([cache.peek('a'), cache.peek('b'), cache.peek('c')], [1, undefined, 3]);
});

test('a value that has grown counts with its new size once it is set again', (t) => {
  const cache = createCache<{ size: number }>({ maxBytes: 1_000, bytesOf: ({ size }) => size });
  const value = { size: 10 };
  cache.set('a', value);
  value.size = 500;
  cache.set('a', value);
  t.is(cache.bytes, 500 + 2 + entryBytes);
});

test('an entry larger than the cache is not stored, and deletes the earlier one', (t) => {
  const cache = createCache<{ size: number }>({ maxBytes: 1_000, bytesOf: ({ size }) => size });
  cache.set('a', { size: 10 });
  cache.set('a', { size: 1_000 });
  t.is(cache.get('a'), undefined);
  t.is(cache.bytes, 0);
});

test('keys of any length are found, distinguished, and cost no more than short ones', (t) => {
  const cache = createCache<number>({ maxBytes: 100_000 });
  const keys = [199, 200, 201, 10_000, 1_000_000].flatMap((length) =>
    ['x', 'y'].map((end) => end.padStart(length)),
  );
  for (const [value, key] of keys.entries()) cache.set(key, value + 1);
  t.deepEqual(
    keys.map(cache.get),
    keys.map((_, value) => value + 1),
  );
  t.true(cache.bytes <= keys.length * (entryBytes + 400));
  for (const key of keys) cache.delete(key);
  t.is(cache.bytes, 0);
});

test('entries are deleted by a condition on their values', (t) => {
  const cache = createCache<{ of: string }>({ maxBytes: 10_000 });
  for (const key of ['1', '2', '3'.repeat(300)]) cache.set(key, { of: key === '2' ? 'ada' : 'bob' });
  cache.deleteWhere((value) => value.of === 'bob');
  t.is(cache.entryCount, 1);
  t.deepEqual(cache.get('2'), { of: 'ada' });
  cache.clear();
  t.is(cache.entryCount, 0);
});
