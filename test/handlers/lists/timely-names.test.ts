/** Names of lists in the current bucket. */

import test from 'ava';
import { createTimelyNames } from '../../../src/handlers/lists/timely-names.ts';

/** Draws 0, 1, 2, …; a name's bucket is its remainder by three, plus one in `other`. */
function start(turns: { now: number }) {
  let drawnCount = 0;
  const draw = () => String(drawnCount++);
  const bucketOf = (environment: string, row: string) => (Number(row) + Number(environment === 'other')) % 3;
  const nameOf = createTimelyNames({ lists: { turn: () => turns.now, bucketOf }, draw });
  return { nameOf, drawnCount: () => drawnCount };
}

test('a name of another bucket is used when its turn comes, and no name is used twice', (t) => {
  const turns = { now: 2 };
  const { nameOf, drawnCount } = start(turns);
  t.deepEqual([nameOf('e'), nameOf('e')], ['2', '5']);
  turns.now = 0;
  t.deepEqual([nameOf('e'), nameOf('e')].sort(), ['0', '3']);
  t.is(drawnCount(), 6);
  t.is(nameOf('e'), '6');
});

test('a waiting name of one environment is not used in another with other buckets', (t) => {
  const turns = { now: 2 };
  const { nameOf } = start(turns);
  t.is(nameOf('e'), '2');
  turns.now = 0;
  t.is(nameOf('other'), '5');
  t.is(nameOf('e'), '0');
});

test('a list gets a name even if none is of the bucket', (t) => {
  const { nameOf, drawnCount } = start({ now: 7 });
  const names = Array.from({ length: 1_000 }, () => nameOf('e'));
  t.is(new Set(names).size, names.length);
  t.true(drawnCount() < 100 * names.length);
});

test('the row of a name gives its bucket', (t) => {
  const lists = { turn: () => 1, bucketOf: (_: string, row: string) => Number(row === 'row of b') };
  const drawn = ['a', 'b'][Symbol.iterator]();
  const nameOf = createTimelyNames({
    lists,
    draw: () => drawn.next().value!,
    rowOf: (name) => `row of ${name}`,
  });
  t.is(nameOf('e'), 'b');
});
