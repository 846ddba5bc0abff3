/** Programs start sooner the second time, and work without a writable cache. */

import { spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import test from 'ava';
import { cacheFolder } from '../../src/cli/compile-cache.ts';

const source = (path: string) => new URL(`../../src/${path}`, import.meta.url).pathname;

/** Returns the output of a program in an environment without settings of caches, which coverage switches off. */
async function say(words: string[], environment: Record<string, string>): Promise<string> {
  const silent = { NODE_COMPILE_CACHE: undefined, NODE_DISABLE_COMPILE_CACHE: undefined, XDG_CACHE_HOME: '' };
  const child = spawn(process.execPath, words, { env: { ...process.env, ...silent, ...environment } });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return stdout + stderr;
}

test('the compile cache is with the other caches of the user', (t) => {
  t.is(cacheFolder({ HOME: '/home/ann' }), '/home/ann/.cache/personalisation');
  t.is(cacheFolder({ HOME: '/home/ann', XDG_CACHE_HOME: '/caches' }), '/caches/personalisation');
  t.is(cacheFolder({ HOME: '/home/ann', XDG_CACHE_HOME: '' }), '/home/ann/.cache/personalisation');
  t.is(cacheFolder({}), undefined);
});

test('a command fills the cache, and prints the same without a writable folder', async (t) => {
  const home = await mkdtemp(join(tmpdir(), 'command-home-'));
  t.teardown(() => rm(home, { recursive: true, force: true }));
  const help = [source('main.ts'), 'clients', '--help'];
  const said = await say(help, { HOME: home });
  t.regex(said, /Usage: personalisation clients/);
  t.true(readdirSync(join(home, '.cache/personalisation')).length > 0);
  t.is(await say(help, { HOME: '/dev/null' }), said);
});

test('threads use the same cache folder', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'thread-cache-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const thread = `import { getCompileCacheDir } from 'node:module'; console.log(getCompileCacheDir());`;
  const program = `
    import { Worker } from 'node:worker_threads';
    import { keepCompiled } from ${JSON.stringify(source('cli/compile-cache.ts'))};
    keepCompiled(${JSON.stringify(folder)});
    new Worker(${JSON.stringify(thread)}, { eval: true });
  `;
  const said = await say(['--input-type=module', '--eval', program], {});
  t.true(said.startsWith(folder), said);
  t.true(existsSync(said.trim()));
});
