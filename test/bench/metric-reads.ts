/**
 * `node test/bench/metric-reads.ts [--days N]`: reads a year of hours of a metric, in several groupings, and compares
 * it with summing a million numbers in the same database.
 *
 * The year has 120 combinations an hour, spread over the buckets: two versions, ten lists and six page types. Times are the shortest and the median of seven.
 */
import { parseArgs } from 'node:util';
import { bucketCountOf } from '../../src/repository/buckets.ts';
import { execute } from '../../src/repository/database.ts';
import { type CountQuery, listCounts } from '../../src/repository/metrics/metric-reads.ts';
import { createTestDatabase } from '../support/database.ts';
import { countOf } from './sizes.ts';

const firstHour = 490_000;
const { values } = parseArgs({ options: { days: { type: 'string', default: '365' } } });
const hourCount = 24 * countOf(values.days);
const runCount = 7;

const db = await createTestDatabase();
const bucketCount = await bucketCountOf(db);
const run = (text: string) => execute(db, '', text, []);

await run(`
  insert into metric_dimensions
  select n % ${bucketCount}, n, 'shop', 'recommender', version, page_type, list_name, '', ''
  from (
    select row_number() over () as n, version, page_type, 'list ' || list as list_name
    from unnest('{A,B}'::text[]) as version, unnest('{home,detail,cart,search,list,other}'::text[]) as page_type,
      generate_series(1, 10) as list
  ) as combinations`);
const dimensions = ['user_group', 'version', 'page_type', 'list_name', 'channel', 'configuration'];
const places = [`(0, '')`, ...dimensions.map((name, place) => `(${place + 1}, ${name})`)];
/** A week at a time: no statement of the service may take longer than half a minute. */
const hoursTogether = 7 * 24;
for (let from = firstHour; from < firstHour + hourCount; from += hoursTogether) {
  const until = Math.min(from + hoursTogether, firstHour + hourCount);
  await run(`
    insert into metric_hours (bucket, hour, dimension_id, counted, events, impressions, clicks)
    select bucket, hour, dimension_id, -1, 12, 10, 2
    from generate_series(${from}, ${until - 1}) as hour, metric_dimensions`);
  await run(`
    insert into metric_totals (bucket, environment, dimension, hour, value, events, impressions, clicks)
    select bucket, environment, place.dimension, hour, place.value, sum(events), sum(impressions), sum(clicks)
    from metric_hours join metric_dimensions using (bucket, dimension_id)
    cross join lateral (values ${places.join(', ')}) as place(dimension, value)
    where hour >= ${from} group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5`);
}
await run('analyze');

async function timed(read: () => Promise<unknown[]>): Promise<{ text: string; medianMs: number }> {
  const times: number[] = [];
  let rowCount = 0;
  for (let i = 0; i < runCount; i++) {
    const startMs = performance.now();
    rowCount = (await read()).length;
    times.push(performance.now() - startMs);
  }
  times.sort((a, b) => a - b);
  const medianMs = times[runCount >> 1];
  const text = `${times[0].toFixed(1).padStart(8)} ms, median ${medianMs.toFixed(1).padStart(8)} ms, ${rowCount} rows`;
  return { text, medianMs };
}

const reference = await timed(async () => [
  await run('select sum(n::float8) from generate_series(1, 1000000) as n'),
]);
console.log(`${'summing a million numbers'.padEnd(34)} ${reference.text}`);
const queries: [string, Partial<CountQuery>][] = [
  ['all together', {}],
  ['by version', { groupBy: ['version'] }],
  ['by list', { groupBy: ['list_name'] }],
  ['of one list', { where: { list_name: 'list 1' } }],
  ['by version, three metrics', { groupBy: ['version'], measures: ['events', 'impressions', 'clicks'] }],
  ['by version and list', { groupBy: ['version', 'list_name'] }],
  ['of one list, by version', { groupBy: ['version'], where: { list_name: 'list 1' } }],
];
for (const [name, more] of queries) {
  const range = { environment: 'shop', fromHour: firstHour, toHour: firstHour + hourCount };
  const asked: CountQuery = { ...range, measures: ['clicks'], groupBy: [], where: {}, ...more };
  const { text, medianMs } = await timed(() => listCounts(db, asked));
  console.log(`${name.padEnd(34)} ${text}, ×${(medianMs / reference.medianMs).toPrecision(2)} of the sum`);
}
await db.close();
