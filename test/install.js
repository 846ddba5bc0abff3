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
  const npm = (...words) =>
    execFileSync('npm', [...words, '--loglevel=error'], {
      cwd: root,
      stdio: ['ignore', 'ignore', 'inherit'],
      shell: process.platform === 'win32',
    });
  const options = ['--include-workspace-root', '--prefer-offline', '--no-audit', '--no-fund'];
  /** Runs the scripts of the packages, but does not build the console, as `npm install` does. */
  npm('install', '--workspaces', '--ignore-scripts', ...options);
  npm('rebuild');
  writeFileSync(stamp, read(resolve(root, 'package-lock.json')));
}
