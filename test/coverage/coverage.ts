/**
 * `npm run coverage`: prints the share of each folder of `src/` that the tests run, in percent.
 * Arguments are test files instead of all.
 *
 * All processes that exit normally count, including those that tests start. The console's code runs
 * in a browser and is not measured.
 */

import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createCoverage } from './covered-files.ts';
import { printRooms } from './rooms.ts';

/** Hundreds of processes write some megabytes each; files are deleted once read. */
const readEveryMs = 2_000;

const root = resolve(import.meta.dirname, '../..');
const folder = join(root, 'build/coverage');
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });

const coverage = createCoverage(join(root, 'src'), ['console/']);
const tests = spawn(process.execPath, [join(root, 'test/run.ts'), ...process.argv.slice(2)], {
  cwd: root,
  env: { ...process.env, NODE_V8_COVERAGE: folder },
  stdio: 'inherit',
});
const timer = setInterval(readTold, readEveryMs);
process.exitCode = await new Promise<number>((end) => tests.once('close', (code) => end(code ?? 1)));
clearInterval(timer);
const unread = readTold();
if (unread > 0) console.log(`${unread} processes ended before they had told all.`);
printRooms(coverage.files());

/**
 * Returns the number of files that are unreadable because their process still runs or was killed.
 */
function readTold(): number {
  const paths = readdirSync(folder).map((name) => join(folder, name));
  return paths.filter((path) => !isRead(path)).length;
}

function isRead(path: string): boolean {
  let told: Parameters<typeof coverage.add>[0];
  try {
    told = JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return false;
  }
  coverage.add(told);
  rmSync(path);
  return true;
}
