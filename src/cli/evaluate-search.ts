/** `personalisation evaluate search`: measures the ranking of a catalogue's items against judgments. */

import { basename } from 'node:path';
import { type Command, Option } from 'commander';
import { createRanker } from '../jobs/evaluation/search/collection.ts';
import { gains, measureRanking } from '../jobs/evaluation/search/ranking-measures.ts';
import { readCollection } from '../jobs/evaluation/search/read-collection.ts';
import { perQueryRows, summariseSearch, tabulateSearch } from '../jobs/evaluation/search/report-search.ts';
import { conclude } from './connection/outcome.ts';
import { print } from './output.ts';

type Options = {
  catalog: string;
  judgments: string;
  properties: { name: string; weight: number }[];
  language: string;
  gain: keyof typeof gains;
  queries?: boolean;
  json?: boolean;
};

/** @param evaluate The parent command; `--json` is an option of both. */
export function registerEvaluateSearch(evaluate: Command): void {
  evaluate
    .command('search')
    .description('rank the items of a catalogue for judged queries, and measure the rankings')
    .requiredOption('--catalog <file>', 'items as NDJSON, as for `import items`')
    .requiredOption('--judgments <file>', 'CSV or TSV: query, item id, grade (0 is not relevant)')
    .option('--properties <weights>', 'searched properties: name=weight,…', parseProperties, [])
    .option('--language <tag>', 'language of items without one, and of queries', 'en')
    .addOption(
      new Option('--gain <name>', 'worth of a grade: 2^g - 1, or 1 for every grade above 0')
        .choices(Object.keys(gains))
        .default('exponential'),
    )
    .option('--queries', 'report every query')
    .option('--json', 'print one JSON object')
    .action((_: unknown, command: Command) => conclude(() => run(command.optsWithGlobals<Options>())));
}

async function run(options: Options): Promise<void> {
  const { catalog, judgments, properties, language, gain, queries = false, json } = options;
  const collection = await readCollection({ catalogPath: catalog, judgmentsPath: judgments, properties });
  const measures = measureRanking(collection.judged, createRanker(collection, language), gains[gain]);
  if (measures.queries === 0) throw new Error(`${judgments}: no query has an item with a grade above 0.`);
  const itemCount = collection.items.length;
  const summary = summariseSearch(basename(catalog), itemCount, measures);
  const result = json
    ? JSON.stringify(queries ? { ...summary, per_query: perQueryRows(measures) } : summary)
    : tabulateSearch(itemCount, measures, queries);
  print(result);
}

export function parseProperties(text: string): { name: string; weight: number }[] {
  return text.split(',').map((part) => {
    const [, name, weight] = /^\s*([^=]+?)\s*=\s*(\d+(?:\.\d+)?)\s*$/.exec(part) ?? [];
    if (name === undefined) throw new Error(`--properties ${part}: write it as name=weight.`);
    return { name, weight: Number(weight) };
  });
}
