import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { readFolder, writeFolder } from '../../../src/cli/configurations/documents.ts';

async function openFolder(t: ExecutionContext, files: Record<string, unknown>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'documents-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files))
    await writeFile(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content));
  return folder;
}

const documentOf = (id: string, comment = '') => ({ configuration_id: id, comment });

const write = (folder: string, ...ids: string[]) =>
  writeFolder(folder, new Map(ids.map((id) => [id, documentOf(id, 'stored')])));

async function contentsOf(folder: string): Promise<Record<string, unknown>> {
  const names = await readdir(folder);
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
  return Object.fromEntries(names.map((name, i) => [name, JSON.parse(texts[i])]));
}

test('a configuration is written to the file that contains it, of any name', async (t) => {
  const folder = await openFolder(t, { 'start-page.json': documentOf('home') });
  t.deepEqual(await write(folder, 'home', 'a/b'), ['start-page.json', 'a%2Fb.json']);
  t.deepEqual(await contentsOf(folder), {
    'start-page.json': documentOf('home', 'stored'),
    'a%2Fb.json': documentOf('a/b', 'stored'),
  });
  t.deepEqual([...(await readFolder(folder)).keys()].sort(), ['a/b', 'home']);
  t.deepEqual(await write(folder, 'home', 'a/b'), []);
});

test('other content of a file is kept in order', async (t) => {
  const folder = await openFolder(t, {
    'all.json': [documentOf('mine'), documentOf('one'), documentOf('two')],
    'home.json': documentOf('other'),
  });
  t.deepEqual(await write(folder, 'two', 'one', 'home'), ['all.json', 'home.json']);
  t.deepEqual(await contentsOf(folder), {
    'all.json': [documentOf('mine'), documentOf('one', 'stored'), documentOf('two', 'stored')],
    'home.json': [documentOf('other'), documentOf('home', 'stored')],
  });
  t.deepEqual(await write(folder, 'two', 'one', 'home'), []);
});

test('an unreadable file of the folder is replaced', async (t) => {
  const folder = await openFolder(t, { 'home.json': '<<<<<<< {' });
  t.deepEqual(await write(folder, 'home'), ['home.json']);
  t.deepEqual(await contentsOf(folder), { 'home.json': documentOf('home', 'stored') });
});
