/**
 * Search under measurement: the kernel beside MiniSearch, each on the same catalogue in a process of its own, and then the
 * service over HTTP. `npm run benchmark:speed -- --only search [--data FOLDER] [--items N]`.
 */

import { readIcecat } from '../quality/search/datasets.ts';
import { startNode, stopProcess, waitForOutput } from './processes.ts';
import type { KernelReport } from './search-kernel-report.ts';
import { createFixedWorld, createGeneratedWorld, type SearchWorld } from './search-world.ts';

export type SearchBenchmarkOptions = {
  /** Folder of data sets, for Icecat; without it only generated catalogues are measured. */
  data?: string;
  /** Items of the largest generated catalogue. */
  itemCount: number;
  /** Different ones of each kind, of the kernel as over HTTP; of the kernel a thousand at most. */
  requestCount: number;
  onStop(stop: () => Promise<void>): void;
  say(text: string): void;
};

/** MiniSearch is measured up to here: beyond, building it alone takes minutes and gigabytes. */
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

/** Engines side by side, a line each. */
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
  const widths = heads.map((head, i) => Math.max(head.length, ...lines.map((line) => line[i].length)));
  const format = (line: string[]): string =>
    line
      .map((cell, i) => (i < 2 ? cell.padEnd(widths[i]) : cell.padStart(widths[i])))
      .join('  ')
      .trimEnd();
  return [format(heads), ...lines.map(format)].join('\n');
}
