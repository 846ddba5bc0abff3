/** Keeps compiled sources for the next process, which then loads them in half the time. */

import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

/**
 * Sets the folder in the environment too, for the caches of threads. A folder in the environment takes precedence; an
 * unwritable folder is ignored.
 */
export function keepCompiled(folder: string): void {
  const { directory } = enableCompileCache(folder);
  if (directory !== undefined) process.env.NODE_COMPILE_CACHE = directory;
}

/** Returns the folder of the user's caches; undefined for a user without a home. */
export function cacheFolder({ XDG_CACHE_HOME, HOME } = process.env): string | undefined {
  if (XDG_CACHE_HOME) return join(XDG_CACHE_HOME, 'personalisation');
  return HOME ? join(HOME, '.cache', 'personalisation') : undefined;
}
