/**
 * Installs the packages of tests, checks and benchmarks (the workspaces), which `npm install` leaves out. Scripts that need
 * them run this first; it takes no time when the lockfile has not changed since.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');
/** In `node_modules`, so that it disappears with the packages. */
const stamp = resolve(root, 'node_modules/.test-packages');
const read = (path) => existsSync(path) && readFileSync(path, 'utf8');
const lock = read(resolve(root, 'package-lock.json'));

if (read(stamp) !== lock) {
  const options = ['--workspaces', '--include-workspace-root', '--ignore-scripts', '--prefer-offline'];
  execFileSync('npm', ['install', ...options, '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: process.platform === 'win32',
  });
  writeFileSync(stamp, read(resolve(root, 'package-lock.json')));
}
