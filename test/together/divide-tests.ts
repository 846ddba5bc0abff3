/** Assigns test files to processes: `npm test` starts 16 processes instead of one per file. */

import { globSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/**
 * Five run at a time on two cores, because each mostly waits. A process costs two seconds to load.
 * They end together because the last one has a third of the first one's work.
 */
const processCount = 16;

/** CPU seconds of long files: of the test, its children and the database. */
const long: Record<string, number> = {
  'cli/configurations/rules-as-code': 5,
  'cli/local-clients': 11,
  'cli/one-address': 11,
  'cli/outcome': 5,
  'cli/serve-faults': 9,
  'cli/serve-signals': 7,
  'clients/packages': 11,
  'contract/admission-table': 10,
  'contract/backup': 9,
  'contract/bad-input': 7,
  'contract/bad-input-endurance': 11,
  'contract/batches': 9,
  'contract/batches-killed': 7,
  'contract/experiments': 5,
  'contract/exploration': 8,
  'contract/guarantees': 5,
  'contract/mcp/protocol': 5,
  'contract/people': 7,
  'contract/recommendation-pages': 5,
  'contract/recommendation-people': 7,
  'contract/repeat-purchases': 9,
  'contract/request-costs': 40,
  'contract/restart': 7,
  'contract/rolling-restart': 10,
  'contract/rows-left': 8,
  'contract/searches-queries': 5,
  'contract/several-nodes': 14,
  'contract/trainings-kept': 6,
  'deployment/demo-lists': 33,
  'docs/examples': 23,
  'docs/lowest-node': 6,
  'docs/programs': 6,
  'fuzz/fuzz': 8,
  'handlers/administration/load-demo': 5,
  'handlers/items/feeds': 5,
  'jobs/alerts/watch-placements': 8,
  'jobs/diagnostics/doctor': 7,
  'jobs/evaluation/blend': 14,
  'jobs/evaluation/policy/off-policy': 9,
  'jobs/guarantees/guarantees': 12,
  'jobs/training/trainer': 9,
  'ranking/lists/person/unrecorded-people': 7,
  'ranking/lists/threads/list-threads': 7,
  'reference/examples': 6,
  'repository/backup/backup': 8,
  'repository/embedded/embedded-postgres': 9,
  'repository/items/items': 6,
  'repository/plans': 7,
};

/** CPU seconds of other files, on average. */
const usual = 0.7;

/** Each takes as long as a whole process. */
const alone = ['test/browser/console.test.ts', 'test/browser/console-work.test.ts'];

/**
 * Writes a file for each process into `build/tests`, and returns the files for AVA. The longest are
 * assigned first, and neighbours to different processes, because they take about equally long.
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
  const parts = Array.from({ length: processCount }, (_, number) => ({
    share: 1 - ((2 / 3) * number) / (processCount - 1),
    length: 0,
    paths: [] as string[],
  }));
  for (const path of sharing) {
    const fullnessOf = (part: (typeof parts)[number]) => (part.length + lengthOf(path)) / part.share;
    const emptiest = parts.reduce((best, part) => (fullnessOf(part) < fullnessOf(best) ? part : best));
    emptiest.length += lengthOf(path);
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

/** Below `test/`. */
const nameOf = (path: string) => path.replace(/^test\/(.*)\.test\.ts$/, '$1');

const lengthOf = (path: string) => long[nameOf(path)] ?? usual;
