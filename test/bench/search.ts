/**
 * Measures search: the kernel and MiniSearch, each on the same catalogue in a process of its own, and then the service over
 * HTTP. `npm run benchmark:speed -- --only search [--data FOLDER] [--items N]`.
 */

import { readIcecat } from '../quality/search/datasets.ts';
import { startNode, stopProcess, waitForOutput } from './processes.ts';
import { alignTable } from './report.ts';
import { createFixedWorld, createGeneratedWorld, type SearchWorld } from './search-world.ts';

export type SearchBenchmarkOptions = {
  /** Folder of data sets, for Icecat; without it, only generated catalogues are measured. */
  data?: string;
  /** Items of the largest generated catalogue. */
  itemCount: number;
  /** Distinct requests of each kind; for the kernel, at most a thousand. */
  requestCount: number;
  onStop(stop: () => Promise<void>): void;
  say(text: string): void;
};

export type Times = { mean_us: number; p50_us: number; p99_us: number; max_us: number };

/** The result of one engine on one catalogue. */
export type KernelReport = {
  catalogue: string;
  engine: string;
  items: number;
  build_seconds: number;
  bytes_per_item: number;
  /** Slices of background work while building. */
  longest_slice_ms: number;
  slices_above_5_ms: number;
  rows: Record<string, Times>;
  'ndcg@10'?: number;
  'ndcg@10_judged'?: number;
};

/** Most items for MiniSearch: larger indexes take minutes and gigabytes. */
const mostForMiniSearch = 20_000;
const generatedSizes = [mostForMiniSearch, 100_000];

export function icecatItems({ items }: ReturnType<typeof readIcecat>) {
  return items.map(({ document: { title, description, brand } }) => ({
    title: String(title ?? ''),
    description: String(description ?? ''),
    brand: String(brand ?? ''),
    category: '',
  }));
}

/** The catalogue that is served over HTTP. */
export function servedWorld({ data, itemCount }: SearchBenchmarkOptions): SearchWorld {
  return data === undefined
    ? createGeneratedWorld(Math.min(itemCount, 100_000))
    : createFixedWorld('icecat', icecatItems(readIcecat(data)));
}

export async function measureKernels(options: SearchBenchmarkOptions): Promise<KernelReport[]> {
  const { data, itemCount } = options;
  const reports: KernelReport[] = [];
  if (data !== undefined) {
    reports.push(await measureKernel(['--data', data], options));
    reports.push(await measureKernel(['--data', data, '--engine', 'minisearch'], options));
  }
  for (const size of [...generatedSizes.filter((one) => one < itemCount), itemCount]) {
    reports.push(await measureKernel(['--items', String(size)], options));
    if (size <= mostForMiniSearch)
      reports.push(await measureKernel(['--items', String(size), '--engine', 'minisearch'], options));
  }
  return reports;
}

async function measureKernel(
  programArguments: string[],
  { requestCount, onStop, say }: SearchBenchmarkOptions,
): Promise<KernelReport> {
  say(`Measuring the kernel: ${programArguments.join(' ')} …`);
  const nodeOptions = ['--expose-gc', '--max-old-space-size=6000'];
  const requests = ['--requests', String(requestCount)];
  const child = startNode([...nodeOptions, 'test/bench/search-kernel.ts', ...programArguments, ...requests]);
  onStop(() => stopProcess(child));
  const [json] = await waitForOutput(child, /^\{.*\}(?=\n)/);
  await stopProcess(child);
  return JSON.parse(json);
}

/** Returns a line for each engine. */
export function toKernelTable(reports: readonly KernelReport[]): string {
  const heads = [
    'catalogue',
    'engine',
    'search µs',
    'p99',
    'again',
    'filtered',
    'grouped',
    'completion',
    'bytes/item',
    'build s',
    'nDCG@10',
  ];
  const lines = reports.map(({ catalogue, engine, rows, bytes_per_item, build_seconds, 'ndcg@10': ndcg }) => [
    catalogue,
    engine,
    ...[
      rows.search.mean_us,
      rows.search.p99_us,
      rows.again?.mean_us,
      rows.filtered?.mean_us,
      rows.grouped?.mean_us,
      rows.completion.mean_us,
    ].map((us) => (us === undefined ? '' : us.toFixed(1))),
    String(bytes_per_item),
    String(build_seconds),
    ndcg?.toFixed(3) ?? '',
  ]);
  return alignTable(heads, lines, 2);
}
