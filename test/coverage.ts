/**
 * `npm run coverage`: how much of each room of `src/` the tests run, in percent. Arguments are test files instead of all.
 *
 * Every process counts, those that tests start too. The console's code runs in a browser, which tells nothing here.
 */

import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';

type Share = { total: number; covered: number };
type Summary = Record<string, Record<'lines' | 'branches' | 'functions', Share>>;

const kinds = ['lines', 'branches', 'functions'] as const;
const root = resolve(import.meta.dirname, '..');
const folder = join(root, 'build/coverage');

rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
const options = [
  '--merge-async',
  '--all',
  '--src',
  'src',
  '--include',
  'src/**/*.ts',
  '--exclude',
  'src/console/**',
];
const places = [
  '--reporter',
  'json-summary',
  '--reports-dir',
  folder,
  '--temp-directory',
  join(folder, 'raw'),
];
const tests = [process.execPath, join(root, 'test/run.ts'), ...process.argv.slice(2)];
const { status } = spawnSync(join(root, 'node_modules/.bin/c8'), [...options, ...places, ...tests], {
  cwd: root,
  stdio: 'inherit',
});
process.exitCode = status ?? 1;
print(JSON.parse(readFileSync(join(folder, 'coverage-summary.json'), 'utf8')));

function print(summary: Summary): void {
  const { total, ...files } = summary;
  const rooms = Map.groupBy(Object.entries(files), ([path]) => roomOf(path));
  console.log(row('room', kinds));
  for (const [room, members] of [...rooms].sort(([one], [other]) => one.localeCompare(other)))
    console.log(
      row(
        room,
        kinds.map((kind) => percent(members.map(([, shares]) => shares[kind]))),
      ),
    );
  console.log(
    row(
      'all',
      kinds.map((kind) => percent([total[kind]])),
    ),
  );
}

/** The folder below `src/`; files beside the folders are one room. */
function roomOf(path: string): string {
  const [room, file] = relative(join(root, 'src'), path).split('/');
  return file === undefined ? 'src' : room;
}

function percent(shares: readonly Share[]): string {
  const [covered, total] = (['covered', 'total'] as const).map((key) =>
    shares.reduce((sum, share) => sum + share[key], 0),
  );
  return total === 0 ? '–' : ((100 * covered) / total).toFixed(1);
}

function row(name: string, figures: readonly string[]): string {
  return name.padEnd(16) + figures.map((figure) => figure.padStart(11)).join('');
}
