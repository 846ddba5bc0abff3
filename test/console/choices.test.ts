/** Choices of an import, and lists of IDs in an address. */

import test from 'ava';
import { choose, withChoices } from '../../src/console/catalogue/import/choices.ts';
import { readList, writeList } from '../../src/console/kit/item-names.ts';

test('the latest choice of a field wins', (t) => {
  const proposed = new Map([['SKU', 'item_id']]);
  const steps = [
    ['Name', 'title'],
    ['Headline', 'title'],
    ['Name', 'title'],
  ] as const;
  const fields = steps.reduce<ReadonlyMap<string, string>>(
    (chosen, [column, field]) => choose(chosen, column, field),
    new Map(),
  );
  t.deepEqual(Object.fromEntries(withChoices(proposed, fields)), { SKU: 'item_id', Name: 'title' });
});

test('IDs with commas and escapes survive an address', (t) => {
  const ids = ['home', 'half, off', '5%2C', 'item/a,b%41/c'];
  t.deepEqual(readList(writeList(ids)), ids);
  t.deepEqual(readList('home,detail'), ['home', 'detail']);
  t.deepEqual(readList(''), []);
});
