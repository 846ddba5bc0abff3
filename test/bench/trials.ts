/** The commands that smallest.ts tries, those that take long first, with what their output holds; `FOLDER` is that of the data. */

/** @param holds Text in which `#` is a number above 0, `~` one that is rounded to 0 on a fast machine. */
export type Trial = { command: string; holds: string[] };

const shop = '--items 300 --events 200 --users 40';
const brief = '--seconds 0.1 --requests 20 --lanes 4';

/** A row of the speed benchmark: requests, ratio, p50, p99 and the worst one. */
const rowsOf = (...titles: string[]): string[] => titles.map((title) => `${title} # ~ # # #`);

const eventRows = [
  'event posts',
  'event posts of 10',
  'event posts of 100',
  'event posts of 10, hot devices',
];

const listRows = [
  ...['recommendations, JSON', 'recommendations, gRPC'],
  ...['lists of a site, JSON', 'lists of a site, gRPC'],
];

const speed: Trial[] = [
  {
    command: `benchmark:speed ${brief} ${shop}`,
    holds: rowsOf(...['node:http echo', ...listRows, 'list pages', 'item puts'], ...eventRows),
  },
  {
    command: `benchmark:speed --only search --data FOLDER --items 300 --rest 0 ${brief}`,
    holds: [
      ...['icecat this service # # # # # # # ~ #', 'icecat MiniSearch # # # #'],
      ...['generated, 300 items this service # # # # # #', 'generated, 300 items MiniSearch # # # #'],
      ...rowsOf('searches', 'searches, filtered or grouped', 'completions'),
    ],
  },
  {
    command: 'benchmark:speed --only nodes --nodes 1,2 --seconds 0.5 --requests 20 --lanes 4',
    holds: ['1 node # events/s', '2 nodes # events/s at # events/s: p99 ~ ms, Postgres # µs an event (×#)'],
  },
  {
    command: `benchmark:speed --only restart --items 300 --starts 1 --rest 0`,
    holds: [
      '"items":300,"ready_ms":[#],"memory_mb":#',
      '"unindexed":{"ready_ms":#,"left":~,"indexed_ms":#,"memory_mb":#},"echo_ms":#',
    ],
  },
  {
    command: `benchmark:speed --only lists --threads 1 ${brief} ${shop}`,
    holds: rowsOf('node:http echo', ...listRows),
  },
  {
    command: `benchmark:speed --only beside ${brief} ${shop}`,
    holds: rowsOf('node:http echo', 'lists alone', 'lists beside events', 'event posts of 10'),
  },
  { command: `benchmark:speed --only events ${brief}`, holds: rowsOf('node:http echo', ...eventRows) },
];

const live: Trial = {
  command: 'benchmark:live --articles 200 --readers 40 --days 6 --questions 10',
  holds: ['service ~ / ~, best', 'service: coverage # %'],
};

const modelNames = ['blend', 'co_visits', 'ials', 'popularity'];

const quality = [
  'gowalla',
  'serenade-sessions',
  'movielens-latest-small',
  'complete-journey',
  'deskdrop',
].map(
  (name): Trial => ({
    command: `benchmark:quality ${name} --data FOLDER`,
    holds: [...modelNames.map((model) => `${model} # ±# # ±# # ±#`), '# questions about # items, # events'],
  }),
);

const searchCollections = [
  ...['icecat', 'icecat, judged only', 'icecat by type', 'cranfield', 'med', 'npl', 'grocer by category'],
  ...['names with stop words', 'known abstracts', 'known notes', 'known products'],
  ...['shop: long titles', 'shop: compounds', 'misspellings of aspell', 'misspelt: icecat'],
  ...['foreign: icecat', 'misspelt: abstracts', 'foreign: abstracts', 'misspelt: names', 'foreign: names'],
];

const worth: Trial[] = [
  {
    command: 'benchmark:guarantees --data FOLDER --households 8',
    holds: ['8 lists with # items of # products, 0 breaches.', '# ms (median), # ms (p99)'],
  },
  ...quality,
  {
    command: 'benchmark:quality sessions --seeds 2',
    holds: ['NDCG by seed: #, #; spread ~.', '# questions about # items, # events'],
  },
  {
    command: 'benchmark:quality shapes --logs 1 --scale 0.2',
    holds: ['baskets', 'sessions', 'heavy tails'].map((shape) => `${shape}: NDCG #, ahead by`),
  },
  {
    command: 'benchmark:search all --data FOLDER',
    holds: searchCollections.map((name) => `│ ${name} │ # │ # │`),
  },
  {
    command: 'benchmark:audiences --data FOLDER --redeemers 3',
    holds: ['mean # # | # # | # #', 'mailed households: AUC', '2 (Type A, # products, #)'],
  },
];

const parts: Trial[] = [
  {
    command: `node test/bench/training-latency.ts --rounds 1 ${brief} ${shop}`,
    holds: ['p50Ms: # without, # during a training, ratio #', 'p99Ms: # without'],
  },
  {
    command: 'benchmark:training --events 50,100 --users 10 --items 60 --threads 1',
    holds: [
      '50 events, 5 users, 60 items: ~ s, ~ s of CPU',
      'Growth, as the power of the number of events',
      '(the same events)',
    ],
  },
  {
    command: 'node test/bench/intake.ts --seconds 0.3 --events 500',
    holds: [
      'plain insert, groups of 1,000',
      'events one by one',
      'groups of 64',
      'groups of 640, hot devices',
    ].map((name) => `${name} # events/s process # µs Postgres # µs ×# of the plain insert # bytes of WAL`),
  },
  {
    command: 'benchmark:rules --lists 2 --products 500',
    holds: ['no rules', '8 constraints', 'fewer values than slots'].map((mix) => `${mix}`),
  },
  { command: 'benchmark:rules --instances 2', holds: ['searched: #'] },
  /** A round of few requests takes less than a tick of the processor's clock, now and then. */
  {
    command: `node test/bench/lists.ts --visitors site --rounds 12 --people 200 ${shop}`,
    holds: ['requests │ 200', 'ratio │ #'],
  },
  {
    command: `node test/bench/lists.ts --threads 0,1 --seconds 0.1 --people 3 ${shop}`,
    holds: ['0 │ 0 │ # │ # │ 0', '1 │ 1 │ # │ # │ # │ #'],
  },
  {
    command: `node test/bench/lists.ts --rounds 12 --people 30 ${shop}`,
    holds: ['requests │ 30', 'ratio │ #'],
  },
  {
    command: 'node test/bench/batches.ts --seconds 0.1 --items 300 --events 2000 --users 400',
    holds: ['people │ #', 'people_per_cpu_second │ #', 'to_in_process │ #', 'beside_loop_p99_ms │ ~'],
  },
  {
    command: 'node test/bench/metric-reads.ts --days 1',
    holds: ['all together', 'by version', 'by version and list'].map(
      (name) => `${name} # ms, median # ms, # rows, ×~ of the sum`,
    ),
  },
  ...['own', 'minisearch'].map((engine) => ({
    command: `node --expose-gc test/bench/search-kernel.ts --engine ${engine} --items 300 --requests 5`,
    holds: ['"bytes_per_item":#', '"search":{"mean_us":#', '"completion":{"mean_us":#'],
  })),
  {
    command: 'node test/bench/capacity.ts',
    holds: ['| 1,000,000 | # | # |', '| 10,000,000 | # | # |', '| 20,000,000 | # | # |'],
  },
  {
    command: 'node test/bench/facets.ts --items 2000',
    holds: ['a tenth, three facets: # ms of #', 'all, no facets: # ms', 'all, by price: # ms of #'],
  },
  {
    command: 'node test/quality/baskets.ts --data FOLDER',
    holds: ['complete-journey', 'errands', 'three things in forty visits'].map(
      (shop) => `${shop}, complete the basket, # questions: hitrate # ±~, ndcg # ±~, mrr # ±~`,
    ),
  },
  {
    command: 'benchmark:rivals serenade --rival none --seconds 1',
    holds: ['questions #', 'MRR@20 #', 'CPU µs/request #', 'requests/s #', 'memory MB #'],
  },
  {
    command: 'benchmark:rivals tantivy --rival none --items 300',
    holds: ['products 300', 'building s #', 'plain µs #', 'misspelt µs #', 'same ten as the correct query #'],
  },
  {
    command: 'node test/quality/open-bandit.ts FOLDER',
    holds: ['all: 400 rows, effective sample #', 'women: 400 rows, effective sample #', 'on-policy # ± #'],
  },
  {
    command: 'benchmark:console --items 500',
    holds: [
      ...['overview cold # ms, warm # ms', 'access cold # ms, warm # ms', 'editor: add a rule # ms'],
      ...['scrolling it: # frames, median # ms', 'a year of hours: # ms', 'moving over the chart: # frames'],
    ],
  },
  {
    command: 'node test/bench/audiences.ts --users 500 --events 5 --items 200',
    holds: ['500 users × 5 events', 'index of # subjects', 'audience of 100,000 for 10 promoted items'],
  },
];

export const trials: Trial[] = [...speed, live, ...worth, ...parts];
