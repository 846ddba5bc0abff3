/** Query tests of configurations, and a bound on their time for any query and pattern. */
import test from 'ava';
import type { QueryTest } from '../../../../src/ranking/rules/search-rules.ts';
import { compileTest, typedQuery } from '../../../../src/ranking/search/serving/query-tests.ts';
import { fc } from '../../../support/properties.ts';

const holds = (form: QueryTest['form'], text: string, query: string) =>
  compileTest({ form, text })(typedQuery(query));

const cases: [form: QueryTest['form'], text: string, query: string, expected: boolean][] = [
  ['exact', 'Red Sofa', '  red  sofa! ', true],
  ['exact', 'red sofa', 'red sofa bed', false],
  ['exact', 'creme brulee', 'Crème brûlée', true],
  ['contains', 'sofa', 'red sofa', true],
  ['contains', 'sofa', 'sofas', false],
  ['contains', 'red sofa', 'big red sofa bed', true],
  ['contains', 'red sofa', 'red big sofa', false],
  ['pattern', 'cheap * sofa*', 'cheap red leather sofas', true],
  ['pattern', 'cheap * sofa*', 'cheap sofa', true],
  ['pattern', 'cheap * sofa*', 'sofa cheap', false],
  ['pattern', 'cheap * sofa*', 'cheap sofa bed', false],
  ['pattern', '* sofa *', 'sofa', true],
  ['pattern', '* a b *', 'a a b', true],
  ['pattern', 'nike*', 'nikes', true],
  ['pattern', 'nike*', 'nike air', false],
  ['pattern', 'wi-fi *', 'wi fi router', true],
  ['pattern', '*', '', true],
];

for (const [form, text, query, expected] of cases)
  test(`${form} ${JSON.stringify(text)} ${expected ? 'matches' : 'does not match'} ${JSON.stringify(query)}`, (t) => {
    t.is(holds(form, text, query), expected);
  });

/** The simplest matcher of a pattern. */
function takes(steps: readonly string[], words: readonly string[]): boolean {
  const [step, ...others] = steps;
  if (step === undefined) return words.length === 0;
  if (step === '*') return takes(others, words) || (words.length > 0 && takes(steps, words.slice(1)));
  const isTaken = step.endsWith('*') ? words[0]?.startsWith(step.slice(0, -1)) : words[0] === step;
  return words.length > 0 && Boolean(isTaken) && takes(others, words.slice(1));
}

test('a pattern agrees with trying all ways to match', (t) => {
  const word = fc.constantFrom('a', 'b', 'ab');
  const steps = fc.array(fc.constantFrom('a', 'b', 'ab', 'a*', '*'), { minLength: 1, maxLength: 6 });
  const property = fc.property(steps, fc.array(word, { minLength: 1, maxLength: 7 }), (pattern, words) => {
    const found = holds('pattern', pattern.join(' '), words.join(' '));
    return found === takes(pattern, words);
  });
  t.notThrows(() => fc.assert(property));
});

test('a pattern of many stars reads a long query a bounded number of times', (t) => {
  let looks = 0;
  const words = new Proxy(
    Array.from({ length: 64 }, () => 'a'),
    {
      get(target, key) {
        if (typeof key === 'string' && /^\d+$/.test(key)) looks += 1;
        return Reflect.get(target, key);
      },
    },
  );
  const pattern = `${Array.from({ length: 15 }, () => '* a*').join(' ')} b`;
  t.false(compileTest({ form: 'pattern', text: pattern })({ folded: '', spaced: '', words }));
  t.true(looks <= 2 * 64 * 32, `${looks} looks`);
  t.is(typedQuery('a '.repeat(100_000)).words.length, 64);
});
