/** Assigns test files to processes: `npm test` starts a dozen processes instead of one per file. */

import { globSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/**
 * Shares of the files by process, in the order of start. Five run at a time: three that take as
 * long as the browser stories, and then three that end together, so later ones get less.
 */
const shares = [4, 4, 4, 3.2, 2.6, 2.6];

/** Long files, and the number of average files that take as long. */
const long: Record<string, number> = {
  'cli/configurations/rules-as-code': 10,
  'cli/one-address': 12,
  'cli/serve-faults': 15,
  'clients/packages': 15,
  'contract/admission-table': 14,
  'contract/backup': 17,
  'contract/bad-input': 9,
  'contract/bad-input-endurance': 5,
  'contract/baskets': 12,
  'contract/batches': 10,
  'contract/batches-killed': 44,
  'contract/cut-off': 14,
  'contract/recommendation-pages': 7,
  'contract/restart': 14,
  'contract/rolling-restart': 27,
  'contract/searches-queries': 8,
  'contract/several-nodes': 22,
  'contract/trainings-kept': 16,
  'docs/examples': 22,
  'docs/programs': 8,
  'jobs/evaluation/blend': 24,
  'handlers/administration/load-demo': 9,
  'reference/examples': 8,
  'repository/embedded/embedded-postgres': 13,
  'repository/items/items': 7,
  'ranking/rules/joint': 9,
  'ranking/lists/threads/list-threads': 8,
  'servers/telemetry/service': 7,
  'jobs/training/trainer': 10,
};

/** Each takes as long as a whole process. */
const alone = ['test/browser/console.test.ts', 'test/browser/console-work.test.ts'];

/**
 * Writes a file for each process into `build/tests`, and returns the files for AVA.
 *
 * The longest are assigned first, and neighbours to different processes, because the files of a
 * folder take about equally long.
 */
export function divideTests(root: string): string[] {
  const folder = join(root, 'build/tests');
  const sharing = globSync('test/**/*.test.ts', { cwd: root, exclude: ['**/node_modules/**'] })
    .filter((path) => !alone.includes(path))
    .sort()
    .sort((one, other) => lengthOf(other) - lengthOf(one));
  const names = new Set(sharing.map(nameOf));
  const gone = Object.keys(long).filter((name) => !names.has(name));
  if (gone.length > 0) throw new Error(`No test file is called ${gone.join(', ')} any more.`);
  const shareProcess = JSON.stringify(resolve(import.meta.dirname, 'share-process.ts'));
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const parts = shares.map((share) => ({ share, length: 0, paths: [] as string[] }));
  for (const path of sharing) {
    const length = lengthOf(path);
    const filled = (part: (typeof parts)[number]) => (part.length + length) / part.share;
    const emptiest = parts.reduce((best, part) => (filled(part) < filled(best) ? part : best));
    emptiest.length += length;
    emptiest.paths.push(join(root, path));
  }
  const processes = parts.map(({ paths }, number) => {
    const name = `build/tests/process-${String(number + 1).padStart(2, '0')}.test.ts`;
    const lines = [
      `import { shareProcess } from ${shareProcess};`,
      `await shareProcess(${JSON.stringify(paths.sort(), null, 2)});`,
    ];
    writeFileSync(join(root, name), `${lines.join('\n')}\n`);
    return name;
  });
  return [...alone, ...processes];
}

function lengthOf(path: string): number {
  return long[nameOf(path)] ?? 1;
}

/** Below `test/`. */
function nameOf(path: string): string {
  return path.replace(/^test\/(.*)\.test\.ts$/, '$1');
}
