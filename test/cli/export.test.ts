import { execFileSync } from 'node:child_process';
import { createReadStream, existsSync } from 'node:fs';
import { open, readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import test from 'ava';
import { itemLine } from '../../src/cli/export.ts';
import { writeFileWhole } from '../../src/cli/files.ts';
import { writeInput } from './support/import-run.ts';

test('an exported item has no environment, and a disabled one has its status', (t) => {
  const json = '{"environment":"shop","item_id":"a"}';
  t.is(itemLine({ json, enabled: true }), '{"item_id":"a"}\n');
  t.is(itemLine({ json, enabled: false }), '{"item_id":"a","_enabled":false}\n');
});

test('a file with a name in .gz is packed', async (t) => {
  const path = join(dirname(await writeInput(t, 'x', '')), 'items.ndjson.gz');
  async function* lines() {
    yield 'one\n';
    yield 'two\n';
  }
  await writeFileWhole(path, lines());
  t.is(gunzipSync(await readFile(path)).toString(), 'one\ntwo\n');
});

test('a failed export keeps the previous file', async (t) => {
  const path = await writeInput(t, 'items.ndjson', 'before\n');
  async function* lines() {
    yield 'half\n';
    throw new Error('The connection broke.');
  }
  await t.throwsAsync(writeFileWhole(path, lines()), { message: 'The connection broke.' });
  t.is(await readFile(path, 'utf8'), 'before\n');
  t.false(existsSync(`${path}.unfinished`));
});

test('a named pipe passes on the export, and is kept', async (t) => {
  const path = join(dirname(await writeInput(t, 'x', '')), 'pipe');
  execFileSync('mkfifo', [path]);
  const [read] = await Promise.all([text(createReadStream(path)), writeFileWhole(path, ['one\n'])]);
  t.is(read, 'one\n');
  t.true((await stat(path)).isFIFO());
  t.false(existsSync(`${path}.unfinished`));
});

test('a file that is already open, such as standard output, is written directly', async (t) => {
  const file = await open(await writeInput(t, 'x', ''), 'r+');
  t.teardown(() => file.close());
  await writeFileWhole(`/dev/fd/${file.fd}`, ['one\n']);
  t.is(await file.readFile('utf8'), 'one\n');
});
