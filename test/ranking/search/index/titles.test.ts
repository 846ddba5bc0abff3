import test from 'ava';
import { foldTitle } from '../../../../src/ranking/search/analysis/fold.ts';
import { createTitles } from '../../../../src/ranking/search/index/titles.ts';
import { fc } from '../../../support/properties.ts';

const titles = fc.oneof(
  fc.string({ unit: fc.constantFrom('a', 'Z', '9', ' ', '-', '`', '\t', '~') }),
  fc.string({ unit: 'binary-ascii' }),
  fc.string({ unit: 'grapheme' }),
);

const foundBy = (title: string, others: readonly string[]): number[] => {
  const all = createTitles();
  for (const [itemIndex, one] of [title, ...others].entries()) all.put(itemIndex, one);
  return all.find(foldTitle(title), 10);
};

test('an item is found by its folded title, with any letters', (t) => {
  fc.assert(
    fc.property(titles, fc.array(titles, { maxLength: 5 }), (title, others) => {
      const isTitle = foldTitle(title) !== '';
      return foundBy(title, others).includes(0) === isTitle;
    }),
    { numRuns: 500 },
  );
  t.deepEqual(foundBy(' Oak-TABLE, 24"', ['oak table 24', 'oak table 25']), [1, 0]);
});
