/** Packages as installed: unpacked below `node_modules`, with their dependencies. */

import { execFile, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { ExecutionContext } from 'ava';
import { roomyFolder } from '../../support/roomy-folder.ts';

export const run = promisify(execFile);
export const root = new URL('../../../', import.meta.url).pathname;

export async function makeFolder(t: ExecutionContext): Promise<string> {
  const folder = await mkdtemp(join(roomyFolder(), 'installed-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Packs the built packages into `folder`, and returns the archives by package name. */
export async function pack(folder: string, ...options: string[]): Promise<Map<string, string>> {
  const flags = ['--json', '--ignore-scripts', '--pack-destination', folder, ...options];
  const { stdout } = await run('npm', ['pack', ...flags], { cwd: root, maxBuffer: 1 << 26 });
  const packed: { name: string; filename: string }[] = Object.values(JSON.parse(stdout));
  return new Map(packed.map(({ name, filename }) => [name, join(folder, filename)]));
}

export async function unpack(archive: string, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await run('tar', ['-xzf', archive, '-C', folder, '--strip-components', '1']);
}

/** Makes these packages resolvable from `folder`. */
export async function lend(folder: string, names: string[]): Promise<void> {
  for (const name of names) {
    const path = join(folder, 'node_modules', name);
    await mkdir(dirname(path), { recursive: true });
    await symlink(join(root, 'node_modules', name), path);
  }
}

/** The repository's Node, and the machine's if different. */
export function nodes(): string[] {
  const own = machineNode();
  const isOther = own !== undefined && versionOf(own) !== process.version;
  return isOther ? [process.execPath, own] : [process.execPath];
}

/** Returns the lowest Node of the README: the machine's, or one that npm fetches into `folder`. */
export async function lowestNode(folder: string): Promise<string> {
  const own = machineNode();
  if (own !== undefined && versionOf(own).startsWith('v20.')) return own;
  const path = join(folder, 'node');
  const { fetchNode } = await import(new URL('../../../bin/node-24.js', import.meta.url).href);
  /** Older ones do not run today's npm. */
  fetchNode('20.17.0', path);
  return path;
}

function machineNode(): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((path) => !path.includes('node_modules'));
  return folders.map((path) => join(path, 'node')).find(existsSync);
}

export function versionOf(node: string): string {
  return spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout.trim();
}
