/** Assigns test files to processes: `npm test` starts ten processes instead of one per file. */

import { globSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/**
 * Shares of the files by process, in the order of start. Five run at a time on two cores: three
 * for the whole time, and beside them first the stories of the browser, then two processes, and
 * three short ones, so that all end together.
 */
const shares = [4, 4, 4, 2.5, 2.5, 1, 1, 1];

/**
 * Long files, and the number of average files that take as long: 0.3 CPU seconds of the test, its
 * children and the database. A second of waiting counts as 0.4.
 */
const long: Record<string, number> = {
  'cli/audiences': 9,
  'cli/batches': 13,
  'cli/command-line': 13,
  'cli/configurations/rules-as-code': 19,
  'cli/local-clients': 30,
  'cli/one-address': 33,
  'cli/outcome': 12,
  'cli/serve-faults': 16,
  'cli/serve-signals': 16,
  'clients/browser': 11,
  'clients/packages': 36,
  'contract/admission-table': 23,
  'contract/backup': 26,
  'contract/bad-input': 13,
  'contract/bad-input-endurance': 22,
  'contract/batches': 27,
  'contract/batches-killed': 44,
  'contract/cut-off': 16,
  'contract/people': 16,
  'contract/recommendation-people': 10,
  'contract/repeat-purchases': 20,
  'contract/request-costs': 83,
  'contract/restart': 22,
  'contract/rolling-restart': 34,
  'contract/rows-left': 30,
  'contract/searches-invariants': 10,
  'contract/searches-queries': 24,
  'contract/searches-restart': 10,
  'contract/several-nodes': 42,
  'contract/stopped-database': 13,
  'contract/trainings': 10,
  'contract/trainings-kept': 36,
  'deployment/demo-lists': 70,
  'docs/examples': 77,
  'docs/programs': 19,
  'events/people/people': 11,
  'fuzz/fuzz': 12,
  'handlers/administration/load-demo': 20,
  'jobs/diagnostics/doctor': 14,
  'jobs/evaluation/blend': 40,
  'jobs/evaluation/evaluate': 15,
  'jobs/training/trainer': 31,
  'ranking/lists/person/unrecorded-people': 14,
  'ranking/lists/threads/list-threads': 23,
  'ranking/rules/compose': 9,
  'ranking/rules/joint': 13,
  'ranking/runtime/memory-of-callers': 16,
  'reference/examples': 15,
  'reference/reference-page': 13,
  'repository/backup/backup': 16,
  'repository/embedded/embedded-postgres': 34,
  'repository/events/histories': 9,
  'repository/items/items': 18,
  'repository/migrations': 9,
  'servers/telemetry/service': 10,
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
