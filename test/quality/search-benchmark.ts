/**
 * Measures search on public collections.
 *
 *   npm run benchmark:search -- icecat|cranfield|misspellings --data FOLDER [--json]
 *
 * Nothing is trained on the judgments; weights and constants are the defaults of src/search.
 */
import { parseArgs } from 'node:util';
import { createCatalog } from '../../src/catalog/catalog.ts';
import { createCorrector } from '../../src/search/correction/correction.ts';
import { createWordList } from '../../src/search/correction/sorted-words.ts';
import { createSearchIndex, type SearchIndex } from '../../src/search/search.ts';
import { readCranfield, readIcecat, readMisspellings, type SearchDataset } from './search-datasets.ts';
import { binaryGain, exponentialGain, type Gain, measureRanking } from './search-metrics.ts';

type Report = Record<string, unknown>;

const listSize = 1_000;

function indexOf({ items, properties }: SearchDataset): { search: SearchIndex; itemIds: string[] } {
  const catalog = createCatalog({ properties, itemTypes: ['item'] });
  const search = createSearchIndex({
    catalog,
    settings: { defaultLanguage: 'en', properties, synonyms: [] },
  });
  const entries = items.map(({ itemId, document }) => {
    const itemIndex = catalog.apply({ itemType: 'item', itemId, document, enabled: true, revision: 1 });
    return [itemIndex, document] as const;
  });
  for (const _ of search.load(entries));
  return { search, itemIds: items.map(({ itemId }) => itemId) };
}

function measureSearch(dataset: string, read: SearchDataset, gain: Gain): Report {
  const { search, itemIds } = indexOf(read);
  const rank = (q: string): string[] => {
    const { lists } = search.search({ q, nowMs: 0, listSize });
    return (lists[0]?.items ?? []).map(({ itemIndex }) => itemIds[itemIndex]);
  };
  const { queries, ndcg10, ndcg10Judged, map } = measureRanking(read.judged, rank, gain);
  const [even, odd] = [0, 1].map((half) =>
    measureRanking(
      read.judged.filter((_, i) => i % 2 === half),
      rank,
      gain,
    ),
  );
  return {
    dataset,
    queries,
    'ndcg@10': ndcg10,
    'ndcg@10_judged': ndcg10Judged,
    map,
    'ndcg@10_halves': [even.ndcg10, odd.ndcg10],
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
  icecat: (folder) => measureSearch('icecat', readIcecat(folder), exponentialGain),
  cranfield: (folder) => measureSearch('cranfield', readCranfield(folder), binaryGain),
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
