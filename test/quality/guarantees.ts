/**
 * `npm run benchmark:guarantees -- --data FOLDER [--households N]`: recounts what a configuration guarantees on real data.
 *
 * A service of its own on the complete-journey example: 92,331 products, 75,000 purchases, ten-rules.json. A list for each of
 * 1,000 households, every fourth with an aisle on display and some of these with products that must not come, so that
 * minimums are unmet for every reason. Ends with 1 when anything is broken.
 */

import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { type ServedProcess, startServedProcess } from '../support/served-process.ts';
import { openLists } from './guarantees/lists.ts';
import { type Product, readHouseholds, readProducts } from './guarantees/products.ts';
import { createRecounter, type Given, type Unmet } from './guarantees/recount.ts';

const root = resolve(import.meta.dirname, '../..');
const example = join(root, 'docs/examples/complete-journey');
const listSize = 20;

type Tally = {
  lists: number;
  items: number;
  unmet: Map<string, number>;
  breaches: string[];
  tookMs: number[];
};

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { data: { type: 'string' }, households: { type: 'string', default: '1000' } },
  });
  if (values.data === undefined) throw new Error('Name the folder of the data sets with --data.');
  const data = join(values.data, 'complete-journey');
  const products = readProducts(join(data, 'products.csv.gz'));
  const households = readHouseholds(join(data, 'transactions_sample.csv.gz')).slice(
    0,
    Number(values.households),
  );
  const service = await startServedProcess({
    deployment: await readFile(join(example, 'deployment.yaml'), 'utf8'),
  });
  try {
    await fill(service, data);
    report(await recountAll(service, households, products), products.size);
  } finally {
    await service.remove();
  }
}

/** Started again in the end, so that the models know all of it. */
async function fill(service: ServedProcess, data: string): Promise<void> {
  const files: [kind: string, file: string, mapping: string][] = [
    ['items', 'products.csv.gz', 'products.yaml'],
    ['events', 'transactions_sample.csv.gz', 'purchases.yaml'],
  ];
  for (const [kind, file, mapping] of files) {
    const scratch = join(tmpdir(), `guarantees-${process.pid}-${kind}`);
    await personalisation(service, 'import', kind, join(data, file), [
      ...['--environment', 'grocery', '--mapping', join(example, mapping), '--no-resume'],
      ...['--state', `${scratch}.state`, '--report', `${scratch}.refused`],
    ]);
  }
  await personalisation(service, 'configurations', 'put', join(example, 'ten-rules.json'), []);
  await service.kill();
  await service.restart();
}

/** The command line, as in docs/import.md. */
async function personalisation(
  { baseUrl, grpcAddress, authorization }: ServedProcess,
  command: string,
  subcommand: string,
  file: string,
  options: string[],
): Promise<void> {
  const env = {
    ...process.env,
    PERSONALISATION_URL: baseUrl,
    PERSONALISATION_ADDRESS: grpcAddress,
    PERSONALISATION_TOKEN: authorization.replace('Bearer ', ''),
  };
  const programArguments = [join(root, 'src/main.ts'), command, subcommand, file, ...options];
  const { stdout } = await promisify(execFile)(process.execPath, programArguments, { env });
  process.stdout.write(stdout);
}

async function recountAll(
  { grpcAddress, authorization }: ServedProcess,
  households: string[],
  products: ReadonlyMap<string, Product>,
): Promise<Tally> {
  const lists = openLists(grpcAddress, authorization);
  const recounter = createRecounter(products);
  const circumstances = createCircumstances(products);
  const tally: Tally = { lists: 0, items: 0, unmet: new Map(), breaches: [], tookMs: [] };
  for (const [place, household] of households.entries()) {
    const given = circumstances(place);
    const { tookMs, ...answer } = await lists.ask(household, given);
    tally.lists += 1;
    tally.items += answer.productIds.length;
    tally.tookMs.push(tookMs);
    for (const one of answer.unmet) count(tally.unmet, describeUnmet(one));
    const broken = recounter.breachesOf(given, answer);
    tally.breaches.push(...broken.map((breach) => `household ${household}: ${breach}`));
  }
  lists.close();
  return tally;
}

/** Aisles from the largest to those with fewer products than the rule wants; of some the products are excluded. */
function createCircumstances(products: ReadonlyMap<string, Product>): (place: number) => Given {
  const byAisle = Map.groupBy(products.values(), ({ department }) => department);
  const aisles = [...byAisle.keys()].filter((aisle) => aisle !== '').sort();
  return (place) => {
    if (place % 4 !== 0) return { aisle: undefined, excluded: new Set(), listSize };
    const turn = place / 4;
    const aisle = aisles[turn % aisles.length];
    const inAisle = byAisle.get(aisle)!;
    const isExcluding = inAisle.length <= 50 && Math.floor(turn / aisles.length) % 2 === 1;
    return {
      aisle,
      excluded: new Set(isExcluding ? inAisle.map(({ productId }) => productId) : []),
      listSize,
    };
  };
}

function count(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function describeUnmet({ rule, reason, conflicting }: Unmet): string {
  return `rule ${rule} ${reason}${conflicting === undefined ? '' : ` with rule ${conflicting}`}`;
}

function report({ lists, items, unmet, breaches, tookMs }: Tally, productCount: number): void {
  const sorted = tookMs.toSorted((a, b) => a - b);
  const quantile = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
  console.log(`${lists} lists with ${items} items of ${productCount} products, ${breaches.length} breaches.`);
  for (const [what, howOften] of [...unmet].sort()) console.log(`  unmet: ${what}, in ${howOften} lists`);
  console.log(
    `  a request takes ${quantile(0.5).toFixed(1)} ms (median), ${quantile(0.99).toFixed(1)} ms (p99)`,
  );
  for (const breach of breaches.slice(0, 50)) console.log(`  ${breach}`);
  process.exitCode = breaches.length > 0 ? 1 : 0;
}

await main();
