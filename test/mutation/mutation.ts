/**
 * `npm run mutation -- [module…] [--minutes 15] [--seed 1]`: checks whether the nearest tests
 * detect small faults.
 *
 * Faults are put into a copy of the repository, one at a time, and the nearest tests of the file
 * are run there. A fault is killed if a test fails or does not end; a surviving fault is in a line
 * that no near test checks, or that does not matter. A module is a name of `modules`, or a file or
 * folder of `src`. Within the time, each module is tested with a sample drawn by the seed.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { startTestServer } from '../support/database.ts';
import { killFamily } from '../support/kill-family.ts';
import { findMutants, type Mutant } from './mutants.ts';

const root = resolve(import.meta.dirname, '../..');
const copied = 'src test gen proto docs clients tools deploy package.json tsconfig.json'.split(' ');

/** The modules with the most costly faults. */
const modules: Record<string, readonly string[]> = {
  rules: ['src/ranking/rules'],
  metrics: ['src/handlers/metrics/statistics', 'src/repository/metrics'],
  authorisation: ['src/security', 'src/handlers/chain'],
  aggregation: ['src/events', 'src/repository/events'],
  paging: ['src/handlers/messages/pages.ts', 'src/handlers/lists'],
};

type Placed = Mutant & { path: string };

const { values, positionals } = parseArgs({
  options: { minutes: { type: 'string', default: '15' }, seed: { type: 'string', default: '1' } },
  allowPositionals: true,
});
const names = positionals.length > 0 ? positionals : Object.keys(modules);
let endMs = performance.now() + Number(values.minutes) * 60_000;
/** Cleans up after the current fault. */
process.once('SIGINT', () => (endMs = 0));

const server = await startTestServer();
const copy = mkdtempSync(join(tmpdir(), 'mutation-'));
try {
  for (const name of copied) cpSync(join(root, name), join(copy, name), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  for (const [place, name] of names.entries()) {
    const shareMs = (endMs - performance.now()) / (names.length - place);
    report(name, await tryModule(name, performance.now() + shareMs));
  }
} finally {
  rmSync(copy, { recursive: true, force: true });
  await server.stop();
}

async function tryModule(name: string, untilMs: number): Promise<{ killed: number; survivors: Placed[] }> {
  const mutants = shuffled(
    sourcesOf(name).flatMap((path) =>
      findMutants(path, readFileSync(join(root, path), 'utf8')).map((mutant) => ({ ...mutant, path })),
    ),
    values.seed,
  );
  console.log(`${name}: ${mutants.length} faults are possible.`);
  const usualMs = new Map<string, number>();
  const survivors: Placed[] = [];
  let killed = 0;
  for (const mutant of mutants) {
    if (performance.now() >= Math.min(untilMs, endMs)) break;
    const tests = nearestTests(mutant.path);
    if (tests.length === 0) continue;
    const key = tests.join(' ');
    if (!usualMs.has(key)) usualMs.set(key, await timeOf(tests));
    /** An endless loop is a detected fault. */
    const limitMs = 20_000 + 4 * usualMs.get(key)!;
    if (await isKilled(mutant, tests, limitMs)) killed += 1;
    else survivors.push(mutant);
  }
  return { killed, survivors };
}

function sourcesOf(name: string): string[] {
  const places = modules[name] ?? [name];
  const found = places.flatMap((place) =>
    place.endsWith('.ts') ? [place] : globSync(`${place}/**/*.ts`, { cwd: root }),
  );
  if (found.length === 0)
    throw new Error(`No module or folder ${name}. Modules: ${Object.keys(modules).join(', ')}.`);
  return found.sort();
}

/** The test of the same path; else those of its folder, or of its name; else three that import it; else those above. */
function nearestTests(path: string): string[] {
  const mirror = path.replace(/^src/, 'test').replace(/\.ts$/, '.test.ts');
  const folder = dirname(mirror);
  const all = globSync('test/**/*.test.ts', { cwd: root, exclude: ['test/browser/**'] }).sort();
  const inFolders = (...names: string[]) => all.filter((test) => names.includes(dirname(test)));
  const importing = all.filter((test) => readFileSync(join(root, test), 'utf8').includes(`/${path}'`));
  const ranked = [
    all.filter((test) => test === mirror),
    inFolders(folder, `test/${basename(folder)}`),
    importing.slice(0, 3),
    inFolders(dirname(folder)),
  ];
  return ranked.find((tests) => tests.length > 0) ?? [];
}

async function timeOf(tests: readonly string[]): Promise<number> {
  const startMs = performance.now();
  if (await fails(tests, 600_000)) throw new Error(`Without a fault these fail already: ${tests.join(' ')}`);
  return performance.now() - startMs;
}

async function isKilled(
  { path, start, end, text }: Placed,
  tests: readonly string[],
  limitMs: number,
): Promise<boolean> {
  const source = readFileSync(join(root, path), 'utf8');
  writeFileSync(join(copy, path), source.slice(0, start) + text + source.slice(end));
  try {
    return await fails(tests, limitMs);
  } finally {
    writeFileSync(join(copy, path), source);
  }
}

/** Tests that do not end are killed with their runner. */
function fails(tests: readonly string[], limitMs: number): Promise<boolean> {
  const runner = join(root, 'node_modules/.bin/ava');
  const child = spawn(process.execPath, [runner, '--fail-fast', ...tests], {
    cwd: copy,
    stdio: 'ignore',
    env: {
      ...process.env,
      TEST_POSTGRES: JSON.stringify(server.connection),
      LIST_THREADS: '0',
      PATH: `${join(root, 'node_modules/.bin')}:${process.env.PATH}`,
      NODE_COMPILE_CACHE: join(copy, 'compile-cache'),
    },
  });
  const timer = setTimeout(() => killFamily(child.pid!), limitMs);
  return new Promise((done) => {
    child.once('close', (code) => {
      clearTimeout(timer);
      done(code !== 0);
    });
  });
}

/** Sorted by a hash with the seed, so that a seed gives the same sample everywhere. */
function shuffled(mutants: readonly Placed[], seed: string): Placed[] {
  const keyed = mutants.map((mutant) => {
    const { path, start, text } = mutant;
    return { mutant, key: createHash('sha256').update(`${seed} ${path} ${start} ${text}`).digest('hex') };
  });
  return keyed.sort((a, b) => (a.key < b.key ? -1 : 1)).map(({ mutant }) => mutant);
}

function report(name: string, { killed, survivors }: Awaited<ReturnType<typeof tryModule>>): void {
  const tried = killed + survivors.length;
  const score = tried === 0 ? '–' : `${((100 * killed) / tried).toFixed(0)} %`;
  console.log(`${name}: ${score} (${killed} of ${tried} killed)`);
  for (const { path, line, change } of survivors.sort(
    (a, b) => a.path.localeCompare(b.path) || a.line - b.line,
  ))
    console.log(`  ${path}:${line}  ${change}`);
}
