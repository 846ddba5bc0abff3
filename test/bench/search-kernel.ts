/**
 * `node --expose-gc test/bench/search-kernel.ts --engine own|minisearch --items N | --data FOLDER [--requests N]`: measures one
 * engine on one catalogue in a process of its own, with its memory; prints one JSON object.
 *
 * A time is the shortest of a few runs of the same request, as in the search benchmark game (github.com/quickwit-oss), which
 * excludes other work on the machine; mean, p50 and p99 are over the requests.
 */

import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { gains, measureRanking } from '../../src/jobs/evaluation/search/ranking-measures.ts';
import { readIcecat } from '../quality/search/datasets.ts';
import { icecatItems, type KernelReport, type Times } from './search.ts';
import { type Built, buildMiniSearch, buildOwnEngine, type SearchEngine } from './search-engines.ts';
import {
  createFixedWorld,
  createGeneratedWorld,
  prefixesOf,
  queriesOf,
  type SearchWorld,
} from './search-world.ts';
import { countOf } from './sizes.ts';

/** MiniSearch is slower, so it gets fewer requests. */
const effort = {
  own: { runs: 5, queries: 1_000, titles: 100 },
  minisearch: { runs: 2, queries: 100, titles: 3 },
};

const freeingMs = 100;

type Effort = (typeof effort)['own'];

/** @param prepare Runs before each request, outside its time. */
function measure(
  requests: readonly string[],
  runs: number,
  ask: (request: string) => unknown,
  prepare: () => void = () => undefined,
): Times {
  for (const request of requests) ask(request);
  const times = Float64Array.from(requests, (request) => {
    let shortest = Number.POSITIVE_INFINITY;
    for (let run = 0; run < runs; run++) {
      prepare();
      const startMs = performance.now();
      ask(request);
      shortest = Math.min(shortest, performance.now() - startMs);
    }
    return shortest * 1000;
  }).sort();
  const round = (us: number): number => Math.round(us * 10) / 10;
  return {
    mean_us: round(times.reduce((sum, one) => sum + one, 0) / times.length),
    p50_us: round(times[times.length >> 1]),
    p99_us: round(times[Math.floor(times.length * 0.99)]),
    max_us: round(times[times.length - 1]),
  };
}

/** Buffers are freed some time after the garbage collection, so it is repeated until memory stays level. */
async function usedBytes(): Promise<number> {
  for (let least = Number.POSITIVE_INFINITY; ; ) {
    globalThis.gc?.();
    await setTimeout(freeingMs);
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    if (heapUsed + arrayBuffers >= least) return least;
    least = heapUsed + arrayBuffers;
  }
}

/** Swaps the last two letters of some of the longer prefixes. */
function misspeltOf(prefixes: readonly string[]): string[] {
  const long = prefixes.filter(({ length }) => length > 3);
  const some = long.filter((_, place) => place % 5 === 0);
  return some.map((typed) => typed.slice(0, -2) + typed[typed.length - 1] + typed[typed.length - 2]);
}

function icecatWorld(folder: string) {
  const dataset = readIcecat(folder);
  const { items, judged } = dataset;
  const world = createFixedWorld('icecat', icecatItems(dataset));
  const positions = new Map(items.map(({ itemId }, position) => [itemId, position]));
  const ids = [...positions.keys()];
  const relevance = ({ search }: SearchEngine) => {
    const rank = (q: string): string[] => search(q).map((position) => ids[position]);
    const { ndcg10, ndcg10Judged } = measureRanking(judged, rank, gains.exponential);
    return { 'ndcg@10': ndcg10, 'ndcg@10_judged': ndcg10Judged };
  };
  return { world, relevance };
}

function report(
  world: SearchWorld,
  { engine, longestSliceMs, slowSlices }: Built,
  { runs, queries: queryCount, titles }: Effort,
  mostRequests: number,
): Pick<KernelReport, 'catalogue' | 'engine' | 'items' | 'longest_slice_ms' | 'slices_above_5_ms' | 'rows'> {
  const queries = queriesOf(world, Math.min(queryCount, mostRequests));
  const prefixes = prefixesOf(world, Math.min(titles, mostRequests));
  const { search, searchBrands, searchByBrand, complete, completeMisspelt, forget } = engine;
  const brands = [3, 20].map((index) => world.item(index).brand);
  return {
    catalogue: world.name,
    engine: engine.name,
    items: world.itemCount,
    longest_slice_ms: Math.round(longestSliceMs * 10) / 10,
    slices_above_5_ms: slowSlices,
    rows: {
      search: measure(queries, runs, search, forget),
      ...(forget && { again: measure(queries, runs, search) }),
      ...(searchBrands && { filtered: measure(queries, runs, (q) => searchBrands(q, brands), forget) }),
      ...(searchByBrand && { grouped: measure(queries, runs, searchByBrand, forget) }),
      completion: measure(prefixes, runs, complete),
      ...(completeMisspelt && { misspelt: measure(misspeltOf(prefixes), runs, completeMisspelt) }),
    },
  };
}

const { values } = parseArgs({
  options: {
    engine: { type: 'string', default: 'own' },
    items: { type: 'string', default: '20k' },
    /** Most queries, and most titles for completions. */
    requests: { type: 'string', default: '1000' },
    data: { type: 'string' },
  },
});
const isOwn = values.engine === 'own';
const icecat = values.data === undefined ? undefined : icecatWorld(values.data);
const world = icecat?.world ?? createGeneratedWorld(countOf(values.items));
const bytesBefore = await usedBytes();
const startMs = performance.now();
const built = (isOwn ? buildOwnEngine : buildMiniSearch)(world);
const buildSeconds = Math.round((performance.now() - startMs) / 100) / 10;
const result: KernelReport = {
  build_seconds: buildSeconds,
  bytes_per_item: Math.round(((await usedBytes()) - bytesBefore) / world.itemCount),
  ...report(world, built, isOwn ? effort.own : effort.minisearch, countOf(values.requests)),
  ...icecat?.relevance(built.engine),
};
console.log(JSON.stringify(result));
