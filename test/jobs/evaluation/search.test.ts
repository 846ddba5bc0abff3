/** Evaluation of search on files: reading, measures, report. */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import test, { type ExecutionContext } from 'ava';
import { parseProperties } from '../../../src/cli/evaluate-search.ts';
import { createRanker } from '../../../src/jobs/evaluation/search/collection.ts';
import { gains, measureRanking } from '../../../src/jobs/evaluation/search/ranking-measures.ts';
import {
  readCollection,
  readItems,
  readJudgments,
} from '../../../src/jobs/evaluation/search/read-collection.ts';
import { summariseSearch, tabulateSearch } from '../../../src/jobs/evaluation/search/report-search.ts';

async function write(t: ExecutionContext, name: string, content: string | Buffer): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'personalisation-judged-'));
  t.teardown(() => rm(folder, { recursive: true }));
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
}

const grades = (given: Record<string, number>) => new Map(Object.entries(given));

test('measures are those computed by hand', (t) => {
  const judged = [
    { query: 'a', grades: grades({ x: 2, y: 1, z: 0 }) },
    { query: 'b', grades: grades({ x: 0 }) },
    { query: 'c', grades: grades({ y: 1 }) },
  ];
  const rankings: Record<string, string[]> = { a: ['unjudged', 'y', 'x'], b: ['x'], c: [] };
  const { queries, ndcg10, ndcg10Judged, map, withoutResults } = measureRanking(
    judged,
    (query) => rankings[query],
    gains.exponential,
  );
  const ideal = 3 + 1 / Math.log2(3);
  const close = (a: number, b: number) => t.true(Math.abs(a - b) < 1e-12, `${a} ${b}`);
  t.is(queries, 2, 'b has nothing relevant');
  t.is(withoutResults, 1);
  close(ndcg10, (1 / Math.log2(3) + 3 / 2) / ideal / 2);
  close(ndcg10Judged, (1 + 3 / Math.log2(3)) / ideal / 2);
  close(map, (1 / 2 + 2 / 3) / 2 / 2);
});

const judgmentFiles: [name: string, file: string, content: string][] = [
  ['a header in any order', 'j.csv', 'rating,docid,query\n2,x,"red, lamp"\n0,y,"red, lamp"\n'],
  ['no header', 'j.csv', '"red, lamp",x,2\n"red, lamp",y,0\n'],
  [
    'tabs, a byte order mark and CR LF',
    'j.tsv',
    '\ufeffquery\titem_id\tgrade\r\nred, lamp\tx\t2\r\nred, lamp\ty\t0\r\n',
  ],
];

for (const [name, file, content] of judgmentFiles) {
  test(`judgments with ${name} are read`, async (t) => {
    const judged = await readJudgments(await write(t, file, content));
    t.deepEqual(judged, [{ query: 'red, lamp', grades: grades({ x: 2, y: 0 }) }]);
  });
}

test('unreadable input is reported with its line', async (t) => {
  const fails = async (reading: Promise<unknown>, message: RegExp) => t.throwsAsync(reading, { message });
  await fails(readJudgments(await write(t, 'j.csv', 'query,id,grade\nlamp,x,good\n')), /record 2: .*grade/);
  await fails(readJudgments(await write(t, 'j.csv', 'query,id,grade\n')), /has no judgments/);
  await fails(
    readItems(await write(t, 'i.ndjson', '{"item_id":"a"}\n{"title":"b"}\n')),
    /record 2: .*item_id/,
  );
  await fails(readItems(await write(t, 'i.ndjson', '[1]\n')), /record 1/);
  await fails(readItems(await write(t, 'i.ndjson', '')), /has no items/);
  t.throws(() => parseProperties('brand'), { message: /name=weight/ });
});

test('a catalogue and judgments of files are ranked and reported', async (t) => {
  const items = [
    { item_id: 'x', title: 'Red lamp', brand: 'Aka' },
    { item_id: 'y', title: 'Blue\u2028lamp', brand: 'Bel' },
    { item_id: 7, title: 'Table', colors: ['red', 'oak'] },
  ];
  const lines = items.map((item) => JSON.stringify(item)).join('\n');
  const collection = await readCollection({
    catalogPath: await write(t, 'items.ndjson.gz', gzipSync(lines)),
    judgmentsPath: await write(t, 'j.csv', 'query,id,grade\naka,x,1\nred lamp,x,1\noak,7,1\nnothing,x,1\n'),
    properties: parseProperties('brand=1, colors=0.5'),
  });
  t.deepEqual(
    collection.properties.map(({ name, type }) => [name, type]),
    [
      ['brand', 'string'],
      ['colors', 'string[]'],
    ],
  );
  const measures = measureRanking(collection.judged, createRanker(collection, 'en'), gains.binary);
  t.deepEqual(summariseSearch('items', 3, measures), {
    dataset: 'items',
    items: 3,
    queries: 4,
    without_results: 1,
    'ndcg@10': 0.75,
    'ndcg@10_judged': 0.75,
    map: 0.75,
  });
  const table = tabulateSearch(3, measures, true).split('\n');
  t.is(table[0], '4 queries with a relevant item, 3 items');
  t.true(table.includes('nDCG@10                       0.7500'));
  t.is(table.at(-4), ' 0.0000  0.0000      0  nothing', 'the worst query is first');
});
