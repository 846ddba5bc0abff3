/**
 * `npm run coverage`: how much of each room of `src/` the tests run, in percent. Arguments are test files instead of all.
 *
 * Every process counts that ends by itself, those that tests start too. The console's code runs in a browser, which tells
 * nothing here.
 */

import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createCoverage } from './covered-files.ts';
import { printRooms } from './rooms.ts';

/** Hundreds of processes tell some megabytes each; what was read is deleted. */
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

/** Returns how many could not be read: they are still being written, or their process was ended. */
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
