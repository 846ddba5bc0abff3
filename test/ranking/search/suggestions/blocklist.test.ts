import test from 'ava';
import { foldQuery } from '../../../../src/ranking/search/serving/query-fingerprint.ts';
import { blockable, createBlocklist } from '../../../../src/ranking/search/suggestions/suggestible.ts';

const isBlocked = createBlocklist(['Evil', 'cheap  replica', 'Café-noir', 'a b c']);

const cases: [boolean, string][] = [
  [true, 'evil'],
  [true, 'sofa EVIL shop'],
  [true, 'e\u00advil lamp'],
  [true, 'ｅｖｉｌ'],
  [true, 'cheap replica watch'],
  [true, 'very cheap, replica'],
  [true, 'cafe noir'],
  [true, 'x a b c'],
  [false, 'medieval'],
  [false, 'evils'],
  [false, 'replica cheap'],
  [false, 'cheap watch replica'],
  [false, 'a b'],
  [false, ''],
];

for (const [blocked, query] of cases)
  test(`${JSON.stringify(query)} is ${blocked ? '' : 'not '}blocked`, (t) => {
    t.is(isBlocked(foldQuery(query)), blocked);
  });

test('an empty list blocks nothing, and a phrase needs a letter or digit', (t) => {
  t.false(createBlocklist([])('evil'));
  t.deepEqual(['evil', '7', ' ! ', ''].map(blockable), [true, true, false, false]);
});
