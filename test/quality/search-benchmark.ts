/**
 * Measures search on public collections.
 *
 *   npm run benchmark:search -- icecat|cranfield|misspellings --data FOLDER [--json]
 *
 * Nothing is trained on the judgments; weights and constants are the defaults of src/search.
 */
import { parseArgs } from 'node:util';
import { createRanker, type SearchCollection } from '../../src/evaluation/search/collection.ts';
import { type Gain, gains, measureRanking } from '../../src/evaluation/search/ranking-measures.ts';
import { summariseSearch } from '../../src/evaluation/search/report-search.ts';
import { createCorrector } from '../../src/search/correction/correction.ts';
import { createWordList } from '../../src/search/correction/sorted-words.ts';
import { readCranfield, readIcecat, readMisspellings } from './search-datasets.ts';

type Report = Record<string, unknown>;

function measureSearch(dataset: string, collection: SearchCollection, gain: Gain): Report {
  const rank = createRanker(collection, 'en');
  const measures = measureRanking(collection.judged, rank, gain);
  const halves = [0, 1].map((half) =>
    measureRanking(
      collection.judged.filter((_, i) => i % 2 === half),
      rank,
      gain,
    ),
  );
  return {
    ...summariseSearch(dataset, collection.items.length, measures),
    'ndcg@10_halves': halves.map(({ ndcg10 }) => ndcg10),
  };
}

/** Share of correct words, the commonest first, that correction would change: none, as known words are left alone. */
function measureMisspellings(folder: string): Report {
  const { frequencies, pairs } = readMisspellings(folder);
  const words = createWordList([...frequencies.keys()].sort((a, b) => (a < b ? -1 : 1)));
  const corrector = createCorrector({
    words: { lists: () => [words] },
    frequencyOf: (word) => frequencies.get(word) ?? 0,
  });
  const correct = (typed: string): string =>
    frequencies.has(typed) ? typed : (corrector.candidates(typed, 1)[0]?.word ?? typed);
  const counts = new Map<string, { pairs: number; right: number }>();
  for (const { source, typed, meant } of pairs) {
    const count = counts.get(source) ?? { pairs: 0, right: 0 };
    counts.set(source, count);
    count.pairs += 1;
    count.right += Number(correct(typed) === meant);
  }
  const meantWords = [...new Set(pairs.map(({ meant }) => meant))].filter((word) => frequencies.has(word));
  const changed = meantWords.filter((word) => correct(word) !== word);
  return {
    dataset: 'misspellings',
    top1: Object.fromEntries([...counts].map(([source, count]) => [source, count.right / count.pairs])),
    false_corrections: changed.length / meantWords.length,
  };
}

const benchmarks: Record<string, (folder: string) => Report> = {
  icecat: (folder) => measureSearch('icecat', readIcecat(folder), gains.exponential),
  cranfield: (folder) => measureSearch('cranfield', readCranfield(folder), gains.binary),
  misspellings: measureMisspellings,
};

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { data: { type: 'string' }, json: { type: 'boolean', default: false } },
});
const benchmark = benchmarks[positionals[0]];
if (!benchmark || !values.data) {
  console.error(`Usage: benchmark:search -- ${Object.keys(benchmarks).join('|')} --data FOLDER [--json]`);
  process.exitCode = 2;
} else {
  const report = benchmark(values.data);
  if (values.json) console.log(JSON.stringify(report));
  else console.table(report);
}
