/** Which test files share a process: `npm test` starts a dozen processes instead of one for each file. */

import { globSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/**
 * What each process has of the files, in the order in which they are begun. Four run at a time: two beside the stories in the
 * browser, as long as those, and then four that end together.
 */
const shares = [4, 4, 3, 3, 3, 3];

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
  const parts: string[][] = shares.map(() => []);
  const filled = (part: number) => (parts[part].length + 1) / shares[part];
  for (const path of sharing) {
    const emptiest = [...parts.keys()].reduce((best, part) => (filled(part) < filled(best) ? part : best));
    parts[emptiest].push(join(root, path));
  }
  const processes = parts.map((paths, number) => {
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
