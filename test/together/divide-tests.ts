/** Which test files share a process: `npm test` starts a dozen processes instead of one for each file. */

import { globSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** Each loads the service once; more than the cores, so that none is left over with much at the end. */
const processCount = 7;

/** Each takes as long as a whole process does. */
const alone = ['test/browser/console.test.ts', 'test/browser/console-work.test.ts'];

/**
 * Writes a file for each process into `build/tests`, and returns what AVA runs.
 *
 * Neighbours go to different processes: those of a folder are alike in what they cost.
 */
export function divideTests(root: string): string[] {
  const folder = join(root, 'build/tests');
  const sharing = globSync('test/**/*.test.ts', { cwd: root, exclude: ['**/node_modules/**'] })
    .filter((path) => !alone.includes(path))
    .sort();
  const shareProcess = JSON.stringify(resolve(import.meta.dirname, 'share-process.ts'));
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const processes = Array.from({ length: processCount }, (_, number) => {
    const paths = sharing.filter((_, i) => i % processCount === number).map((path) => join(root, path));
    const name = `build/tests/process-${String(number + 1).padStart(2, '0')}.test.ts`;
    const lines = [
      `import { shareProcess } from ${shareProcess};`,
      `await shareProcess(${JSON.stringify(paths, null, 2)});`,
    ];
    writeFileSync(join(root, name), `${lines.join('\n')}\n`);
    return name;
  });
  return [...alone, ...processes];
}
