/** Search in process, in one thread: the service's index and tantivy's with the same products and queries. */

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Chance, createChance } from '../../../src/deployment/demo/random.ts';
import { readIcecat } from '../../quality/search/datasets.ts';
import { icecatItems } from '../search.ts';
import { buildOwnEngine } from '../search-engines.ts';
import { createFixedWorld, createGeneratedWorld, queriesOf, type SearchWorld } from '../search-world.ts';
import { type Comparison, type Figures, round } from './side.ts';

const queryCount = 500;
/** The shortest of so many runs counts, which leaves out other work on the machine. */
const runs = 5;
const shortestMisspelt = 4;
const script = join(import.meta.dirname, 'search_tantivy.py');

export async function compareTantivy({ rival, folder, size }: Comparison): Promise<Record<string, Figures>> {
  const world =
    folder === undefined
      ? createGeneratedWorld(size.items)
      : createFixedWorld('icecat', icecatItems(readIcecat(folder)));
  const chance = createChance('misspelt');
  const plain = queriesOf(world, queryCount);
  const misspelt = plain.map((query) => misspell(query, chance));
  const service = measureService(world, plain, misspelt);
  if (rival === undefined) return { service };
  const temporary = mkdtempSync(join(tmpdir(), 'benchmark-rivals-'));
  try {
    const items = Array.from({ length: world.itemCount }, (_, i) => JSON.stringify(world.item(i)));
    writeFileSync(join(temporary, 'items.jsonl'), items.join('\n'));
    writeFileSync(join(temporary, 'queries.json'), JSON.stringify({ plain, misspelt, runs }));
    const output = execFileSync(rival, [script, temporary], { encoding: 'utf8', maxBuffer: 1e8 });
    const { building, cpu, distances } = JSON.parse(output) as Measured;
    const tantivy = {
      ...{ products: world.itemCount, 'building s': round(building), 'building CPU s': round(cpu) },
      'plain µs': Math.round(distances[0].microseconds),
      'misspelt µs': Math.round(distances[1].microseconds),
      'misspelt, distance 2, µs': Math.round(distances[2].microseconds),
      'same ten as the correct query': shareOfSame(distances[0].lists, distances[1].lists),
      'same ten, distance 2': shareOfSame(distances[0].lists, distances[2].lists),
    };
    return { service, tantivy };
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

type Measured = {
  building: number;
  cpu: number;
  /** Plain queries, and misspelt ones at distances 1 and 2. */
  distances: { microseconds: number; lists: number[][] }[];
};

function measureService(world: SearchWorld, plain: string[], misspelt: string[]): Figures {
  const startMs = performance.now();
  const before = process.cpuUsage();
  const { engine } = buildOwnEngine(world);
  const { user, system } = process.cpuUsage(before);
  const building = (performance.now() - startMs) / 1_000;
  const ask = (queries: string[]) => {
    const lists = queries.map((query) => engine.search(query));
    let total = 0;
    for (const query of queries) {
      let shortest = Number.POSITIVE_INFINITY;
      for (let run = 0; run < runs; run++) {
        engine.forget?.();
        const askedMs = performance.now();
        engine.search(query);
        shortest = Math.min(shortest, performance.now() - askedMs);
      }
      total += shortest;
    }
    return { lists, microseconds: (total / queries.length) * 1_000 };
  };
  const correct = ask(plain);
  const wrong = ask(misspelt);
  return {
    ...{
      products: world.itemCount,
      'building s': round(building),
      'building CPU s': round((user + system) / 1e6),
    },
    'plain µs': Math.round(correct.microseconds),
    'misspelt µs': Math.round(wrong.microseconds),
    'same ten as the correct query': shareOfSame(correct.lists, wrong.lists),
  };
}

/** One typing error in one word: two letters swapped, one left out, or one doubled. */
function misspell(query: string, chance: Chance): string {
  const words = query.split(' ');
  const long = [...words.keys()].filter((i) => words[i].length >= shortestMisspelt);
  if (long.length === 0) return query;
  const chosen = chance.pick(long);
  const word = words[chosen];
  const at = chance.whole(1, word.length - 2);
  const [head, one, other, tail] = [word.slice(0, at), word[at], word[at + 1], word.slice(at + 2)];
  words[chosen] = chance.pick([
    head + other + one + tail,
    head + other + tail,
    head + one + one + other + tail,
  ]);
  return words.join(' ');
}

/** Share of the correct query's items that the misspelt one finds. */
function shareOfSame(correct: number[][], wrong: number[][]): number {
  const sums = correct.reduce(
    ({ same, all }, list, i) => {
      const found = new Set(wrong[i]);
      return { same: same + list.filter((id) => found.has(id)).length, all: all + list.length };
    },
    { same: 0, all: 0 },
  );
  return round(sums.same / sums.all);
}
