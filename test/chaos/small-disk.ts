/** A small disk for the database only, so that it can be filled without harm to other programs. */

import { spawnSync } from 'node:child_process';
import { appendFileSync, closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';

const megabytes = 700;
const blockBytes = 1024 * 1024;

/** Set in the environment of a process with its own mount namespace. */
const inNamespace = 'CHAOS_NAMESPACE';

/**
 * Restarts this program in a namespace that allows mounting, and returns its exit code; undefined
 * if already there, or if none is available.
 */
export function runInNamespace(): number | undefined {
  if (process.env[inNamespace] !== undefined || process.getuid?.() !== 0) return undefined;
  const words = ['--mount', '--propagation', 'private', process.execPath, ...process.argv.slice(1)];
  const { status, error } = spawnSync('unshare', words, {
    stdio: 'inherit',
    env: { ...process.env, [inNamespace]: '1' },
  });
  return error ? undefined : (status ?? 1);
}

export type SmallDisk = {
  /** Fills the disk. */
  fill(): void;
  free(): void;
  unmount(): void;
};

/** Mounts a small disk at the folder; undefined, with a message, if that is not allowed. */
export function mountSmallDisk(folder: string): SmallDisk | undefined {
  const mounted =
    process.env[inNamespace] !== undefined &&
    spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0755`, 'tmpfs', folder]).status === 0;
  if (!mounted) {
    console.log(
      'No disk of its own can be mounted here (it takes root and unshare): the disk is never full in this run.',
    );
    return undefined;
  }
  const filler = join(folder, 'filler');
  return {
    fill() {
      const file = openSync(filler, 'w');
      const block = Buffer.alloc(blockBytes);
      try {
        for (;;) writeSync(file, block);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      } finally {
        closeSync(file);
      }
      fillRest(filler);
    },
    free: () => rmSync(filler, { force: true }),
    unmount: () => void spawnSync('umount', ['--lazy', folder]),
  };
}

function fillRest(filler: string): void {
  try {
    for (;;) appendFileSync(filler, Buffer.alloc(4_096));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  }
}
