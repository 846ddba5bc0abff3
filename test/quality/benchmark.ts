/**
 * `npm run benchmark:quality -- NAME --data FOLDER [--json] [--html FILE] [--seeds N]`: measures the
 * ranking of the models on a public data set, or on a generated log of some shape, which needs no FOLDER.
 * `npm run benchmark:quality -- shapes [--logs N] [--scale S] [--json]`: the same on N other logs of each shape, S times as large.
 *
 * FOLDER has one folder per data set; NAME is one of them. No parameter is tuned on the questions. See docs/evaluation.md.
 */

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createDatasetBuilder } from '../../src/jobs/evaluation/dataset.ts';
import { type Evaluation, evaluate } from '../../src/jobs/evaluation/evaluate.ts';
import { type LoadedDataset, loadDataset } from '../../src/jobs/evaluation/load-dataset.ts';
import type { ProtocolOptions } from '../../src/jobs/evaluation/protocols.ts';
import { readDelimitedEvents } from '../../src/jobs/evaluation/readers/delimited-events.ts';
import { readLines, splitFields } from '../../src/jobs/evaluation/readers/lines.ts';
import { toHtml } from '../../src/jobs/evaluation/report.ts';
import { summarise } from '../../src/jobs/evaluation/summary.ts';
import { toTable } from '../../src/jobs/evaluation/table.ts';
import { judgeShapes, toLine } from './fresh-logs.ts';
import { makeLog, shapes } from './shapes.ts';

type Benchmark = {
  /** In words, for the result. */
  description: string;
  load(folder: string): Promise<LoadedDataset>;
  protocol(dataset: LoadedDataset): ProtocolOptions;
  maxRecents?: number;
};

/** Logs with the same names as their shapes. */
const generated = Object.entries(shapes).map(([name, { protocol, log }]): [string, Benchmark] => [
  name,
  { description: 'a generated log', load: async () => makeLog(log, name), protocol: () => protocol },
]);

const benchmarks: Record<string, Benchmark> = {
  ...Object.fromEntries(generated),
  gowalla: {
    description: 'fixed train and test files, all items ranked, train items excluded',
    load: (folder) =>
      loadDataset({
        kind: 'item-lists',
        path: join(folder, 'train.txt.gz'),
        testPath: join(folder, 'test.txt.gz'),
      }),
    protocol: ({ testFromSeconds }) => ({ protocol: 'fixed', testFromSeconds }),
    // Without times there are no latest interests to prefer.
    maxRecents: 300,
  },
  'serenade-sessions': {
    description: 'next click of the test sessions after train, the item on display excluded',
    load: (folder) =>
      loadDataset({
        kind: 'sessions',
        path: join(folder, 'train.txt.gz'),
        testPath: join(folder, 'test.txt'),
      }),
    protocol: ({ testFromSeconds }) => ({ protocol: 'next-click', testFromSeconds }),
  },
  'movielens-latest-small': {
    description:
      'time split, last 20 % of events: at each, the next film of a user with history, watched films excluded',
    load: (folder) => loadDataset({ kind: 'movielens', path: join(folder, 'ratings.csv.gz') }),
    protocol: () => ({ protocol: 'next-event' }),
  },
  'complete-journey': {
    description: 'next basket, last 8 weeks, bought items included',
    load: loadJourney,
    protocol: ({ interactions }) => {
      const end = interactions.timeSeconds.reduce((latest, time) => Math.max(latest, time), 0);
      return { protocol: 'next-basket', testFromSeconds: end - 8 * 7 * 86_400 };
    },
  },
  deskdrop: {
    description:
      'time split, last 20 % of events in 20 rounds of training and asking, read articles excluded',
    load: (folder) =>
      loadDataset({
        kind: 'columns',
        path: join(folder, 'users_interactions.csv.gz'),
        columns: { subject: 'personId', item: 'contentId', time: 'timestamp', eventType: 'eventType' },
        eventWeights: { VIEW: 1, LIKE: 2, BOOKMARK: 3, FOLLOW: 3, 'COMMENT CREATED': 4 },
      }),
    protocol: () => ({ protocol: 'time-split', rounds: 20 }),
  },
};

/** Purchases with what the products are. */
async function loadJourney(folder: string): Promise<LoadedDataset> {
  const builder = createDatasetBuilder();
  const columns = { subject: 'household_id', item: 'product_id', time: 'transaction_timestamp' };
  for await (const event of readDelimitedEvents(join(folder, 'transactions_sample.csv.gz'), columns)) {
    builder.add(event);
  }
  for await (const line of readLines(join(folder, 'products.csv.gz'))) {
    const [id, , department, brand, category, type] = splitFields(line, ',');
    const attributes = [{ name: 'brand', value: brand }];
    builder.describe(id, { title: type, categories: [[department, category, type]], attributes });
  }
  return builder.finish();
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      data: { type: 'string' },
      json: { type: 'boolean', default: false },
      html: { type: 'string' },
      seeds: { type: 'string', default: '1' },
      logs: { type: 'string', default: '20' },
      scale: { type: 'string', default: '1' },
    },
  });
  const [name] = positionals;
  if (name === 'shapes') {
    for (const report of judgeShapes(Number(values.logs), Number(values.scale)))
      console.log(values.json ? JSON.stringify(report) : toLine(report));
    return;
  }
  const benchmark = Object.hasOwn(benchmarks, name ?? '') ? benchmarks[name] : undefined;
  if (benchmark === undefined || (values.data === undefined && !Object.hasOwn(shapes, name))) {
    const names = [...Object.keys(benchmarks), 'shapes'].join(', ');
    throw new Error(`Say which of ${names}, and where they are: NAME --data FOLDER.`);
  }
  const dataset = await benchmark.load(join(values.data ?? '', name));
  const protocol = benchmark.protocol(dataset);
  const { maxRecents } = benchmark;
  const [evaluation, ...others] = Array.from({ length: Number(values.seeds) }, (_, seed) =>
    evaluate({ dataset, protocol, maxRecents, seed, say }),
  );
  if (others.length > 0) say(spreadOf([evaluation, ...others]).join('\n'));
  if (values.html !== undefined) await writeFile(values.html, toHtml(name, evaluation));
  if (values.json) console.log(JSON.stringify(summarise(name, benchmark.description, evaluation)));
  else console.log(`\n${name}: ${benchmark.description}\n\n${toTable(evaluation)}`);
}

/** How much the blend, and what was chosen for its models, depend on which part of the training side taught it. */
function spreadOf(evaluations: readonly Evaluation[]): string[] {
  const ndcgs = evaluations.map(({ blend }) => blend.ndcg.mean);
  const spread = Math.max(...ndcgs) - Math.min(...ndcgs);
  const chosen = evaluations.map(({ settings, learnt }) => flatten({ ...settings, ...learnt?.profiles }));
  const names = [...new Set(chosen.flatMap((one) => [...one.keys()]))];
  const differing = names.filter((name) => new Set(chosen.map((one) => one.get(name))).size > 1);
  return [
    `NDCG by seed: ${ndcgs.map((ndcg) => ndcg.toFixed(4)).join(', ')}; spread ${spread.toFixed(4)}.`,
    `Chosen differently: ${differing.length} of ${names.length} settings.`,
    ...differing.map((name) => `  ${name}: ${chosen.map((one) => one.get(name) ?? 'default').join(', ')}`),
  ];
}

/** Values by path. */
function flatten(tree: object, path = ''): Map<string, unknown> {
  return new Map(
    Object.entries(tree).flatMap(([name, value]): [string, unknown][] =>
      typeof value === 'object' ? [...flatten(value, `${path}${name} `)] : [[`${path}${name}`, value]],
    ),
  );
}

/** Standard output holds the result alone. */
function say(text: string): void {
  console.error(text);
}

try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
