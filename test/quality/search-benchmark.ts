/**
 * Measures search on many collections, and judges a change on all of them at once.
 *
 *   npm run benchmark:search -- all --data FOLDER --save before.json
 *   npm run benchmark:search -- all --data FOLDER --against before.json [--json] [--queries]
 *   npm run benchmark:search -- icecat|cranfield|… --data FOLDER
 *
 * A change is kept when the 95 % interval of the pooled gain is above 0 and that of no collection is below. No model is trained on
 * the judgments; weights and constants are the defaults of src/search.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { type CollectionFigures, compareFigures, type Gained, type Verdict } from './search/bootstrap.ts';
import { collections } from './search/collections.ts';

function means(figures: CollectionFigures): Record<string, { queries: number; mean: number }> {
  return Object.fromEntries(
    Object.entries(figures).map(([name, byQuery]) => {
      const values = Object.values(byQuery);
      return [name, { queries: values.length, mean: values.reduce((a, b) => a + b, 0) / values.length }];
    }),
  );
}

function rowOf({ queries, before, after, gain, low, high }: Gained): Record<string, string | number> {
  const signed = (value: number): string => (value < 0 ? '' : '+') + value.toFixed(4);
  return {
    queries,
    before: before.toFixed(4),
    after: after.toFixed(4),
    gain: signed(gain),
    '95 %': `${signed(low)} … ${signed(high)}`,
  };
}

function printVerdict({ collections: each, pooled, isKept }: Verdict): void {
  const rows = Object.entries(each).map(([name, one]) => [name, rowOf(one)]);
  console.table(Object.fromEntries([...rows, ['POOLED', rowOf(pooled)]]));
  console.log(isKept ? 'kept' : 'not kept: the pooled interval must be above 0, and none below');
}

/** The queries that changed, the greatest losses first. */
function printQueries(before: CollectionFigures, after: CollectionFigures): void {
  const changed = Object.entries(after).flatMap(([name, byQuery]) =>
    Object.entries(byQuery)
      .filter(([query, value]) => query in (before[name] ?? {}) && value !== before[name][query])
      .map(([query, value]) => ({ name, query, was: before[name][query], is: value })),
  );
  changed.sort((a, b) => a.is - a.was - (b.is - b.was));
  for (const { name, query, was, is } of changed)
    console.log(
      `${(is - was).toFixed(3).padStart(7)}  ${was.toFixed(3)} > ${is.toFixed(3)}  ${name}: ${query}`,
    );
}

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    data: { type: 'string' },
    save: { type: 'string' },
    against: { type: 'string' },
    queries: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
});
const asked = positionals.includes('all') ? Object.keys(collections) : positionals;
if (asked.length === 0 || asked.some((name) => !(name in collections)) || !values.data) {
  console.error(`Usage: benchmark:search -- all|${Object.keys(collections).join('|')} --data FOLDER`);
  console.error('                            [--save FILE] [--against FILE] [--queries] [--json]');
  process.exitCode = 2;
} else {
  const figures: CollectionFigures = {};
  for (const name of asked) Object.assign(figures, collections[name](values.data));
  if (values.save) writeFileSync(values.save, JSON.stringify(figures));
  if (values.against) {
    const before: CollectionFigures = JSON.parse(readFileSync(values.against, 'utf8'));
    const verdict = compareFigures(before, figures);
    if (values.json) console.log(JSON.stringify(verdict));
    else printVerdict(verdict);
    if (values.queries) printQueries(before, figures);
  } else if (values.json) console.log(JSON.stringify(means(figures)));
  else console.table(means(figures));
}
