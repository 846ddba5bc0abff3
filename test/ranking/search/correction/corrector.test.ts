import test from 'ava';
import { createCorrector } from '../../../../src/ranking/search/correction/corrector.ts';
import { createFuzzyWalker } from '../../../../src/ranking/search/correction/edit-distance.ts';
import { createWordList } from '../../../../src/ranking/search/correction/sorted-words.ts';
import { fc } from '../../../support/properties.ts';

/** Optimal string alignment, the textbook version. */
function referenceDistance(a: string, b: string): number {
  const cells = Array.from({ length: a.length + 1 }, (_, i) =>
    Array.from({ length: b.length + 1 }, (_, j) => (i === 0 ? j : j === 0 ? i : 0)),
  );
  for (let i = 1; i <= a.length; i++) {
    for (let j = 1; j <= b.length; j++) {
      const changed = cells[i - 1][j - 1] + Number(a[i - 1] !== b[j - 1]);
      cells[i][j] = Math.min(changed, cells[i - 1][j] + 1, cells[i][j - 1] + 1);
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (swapped) cells[i][j] = Math.min(cells[i][j], cells[i - 2][j - 2] + 1);
    }
  }
  return cells[a.length][b.length];
}

const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 7 });
const wordSet = fc.uniqueArray(word, { maxLength: 40 }).map((all) => all.sort((a, b) => (a < b ? -1 : 1)));

function walked(words: readonly string[], query: string, maxDistance: number, prefix: boolean) {
  const found: [string, number][] = [];
  createFuzzyWalker().walk(createWordList(words), {
    query,
    maxDistance,
    prefix,
    visit: (one, distance) => found.push([one, distance]),
  });
  return found;
}

/** Up to the longest query, and words near it. */
const longWord = fc.array(fc.constantFrom('ab', 'ac', 'b'), { minLength: 14, maxLength: 32 });
const near = fc.tuple(fc.nat(63), fc.constantFrom('', 'a', 'c', 'ba'), fc.nat(3));
const longSet = fc.tuple(longWord, fc.array(near, { maxLength: 5 })).map(([letters, edits]) => {
  const query = letters.join('');
  const words = edits.map(([at, added, dropped]) => query.slice(0, at) + added + query.slice(at + dropped));
  return { query, words: [...new Set(words)].sort((a, b) => (a < b ? -1 : 1)) };
});
const short = fc.record({ query: word, words: wordSet });

test('the walk agrees with the reference distance', (t) => {
  fc.assert(
    fc.property(fc.oneof(short, longSet), fc.nat(3), ({ query, words }, maxDistance) => {
      const expected = words
        .map((one): [string, number] => [one, referenceDistance(one, query)])
        .filter(([, distance]) => distance <= maxDistance);
      t.deepEqual(walked(words, query, maxDistance, false), expected);
    }),
    { numRuns: 500 },
  );
});

test('the walk by prefix finds a nearest prefix of every word with one near enough', (t) => {
  fc.assert(
    fc.property(wordSet, word, fc.nat(2), (words, query, maxDistance) => {
      const nearest = (one: string): number =>
        Math.min(
          ...Array.from({ length: one.length + 1 }, (_, i) => referenceDistance(one.slice(0, i), query)),
        );
      const found = walked(words, query, maxDistance, true);
      for (const [beginning, distance] of found) t.is(referenceDistance(beginning, query), distance);
      for (const one of words) {
        const expected = nearest(one);
        const isFound = found.some(
          ([beginning, distance]) => distance === expected && one.startsWith(beginning),
        );
        t.is(isFound, expected <= maxDistance, one);
      }
    }),
    { numRuns: 500 },
  );
});

const frequencies = new Map([
  ['keyboard', 40],
  ['keyboards', 5],
  ['separate', 20],
  ['receive', 10],
  ['accommodate', 10],
  ['laptop', 50],
  ['lamp', 30],
  ['dv7', 9],
  ['mouse', 40],
  ['house', 40],
]);
const words = createWordList([...frequencies.keys()].sort());
const corrector = createCorrector({
  words: { lists: () => [words] },
  frequencyOf: (one) => frequencies.get(one) ?? 0,
});

const corrections: [typed: string, meant: string, why: string][] = [
  ['keybord', 'keyboard', 'a missing letter'],
  ['keybaord', 'keyboard', 'swapped neighbours'],
  ['seperate', 'separate', 'a confused vowel'],
  ['recieve', 'receive', 'swapped vowels'],
  ['acommodate', 'accommodate', 'a missing double'],
  ['laptpo', 'laptop', 'swapped letters at the end'],
  ['nouse', 'mouse', 'a neighbour on the keyboard, of one sound'],
  ['mosue', 'mouse', 'the same letters in another order'],
  ['laptopp', 'laptop', 'a doubled letter'],
  ['kiibord', 'keyboard', 'three edits, as nothing is nearer'],
];
for (const [typed, meant, why] of corrections) {
  test(`${typed} is corrected to ${meant}: ${why}`, (t) => {
    t.is(corrector.candidates(typed)[0]?.word, meant);
  });
}

for (const typed of ['dv8', '500gb', 'ab', 'x'.repeat(100)]) {
  test(`${typed.slice(0, 12)} is never corrected`, (t) => {
    t.deepEqual(corrector.candidates(typed), []);
  });
}
