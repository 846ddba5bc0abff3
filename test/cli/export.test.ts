import { execFileSync } from 'node:child_process';
import { createReadStream, existsSync } from 'node:fs';
import { open, readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { gunzipSync } from 'node:zlib';
import test from 'ava';
import { writeWhole as writeBackup } from '../../src/cli/backup.ts';
import { itemLine, writeWhole } from '../../src/cli/export.ts';
import { writeInput } from './support/import-run.ts';

const never = new AbortController().signal;

test('an exported item is without its environment, and a disabled one says so', (t) => {
  const json = '{"environment":"shop","item_id":"a"}';
  t.is(itemLine({ json, enabled: true }), '{"item_id":"a"}\n');
  t.is(itemLine({ json, enabled: false }), '{"item_id":"a","_enabled":false}\n');
});

test('a file whose name ends in .gz is packed', async (t) => {
  const path = join(dirname(await writeInput(t, 'x', '')), 'items.ndjson.gz');
  async function* lines() {
    yield 'one\n';
    yield 'two\n';
  }
  await writeWhole(path, lines(), never);
  t.is(gunzipSync(await readFile(path)).toString(), 'one\ntwo\n');
});

test('an export that fails leaves the file that was there', async (t) => {
  const path = await writeInput(t, 'items.ndjson', 'before\n');
  async function* lines() {
    yield 'half\n';
    throw new Error('The connection broke.');
  }
  await t.throwsAsync(writeWhole(path, lines(), never), { message: 'The connection broke.' });
  t.is(await readFile(path, 'utf8'), 'before\n');
  t.false(existsSync(`${path}.new`));
});

for (const [command, write] of [
  ['an export', (path: string) => writeWhole(path, Readable.from(['one\n']), never)],
  ['a backup', (path: string) => writeBackup(path, (file) => pipeline(Readable.from(['one\n']), file))],
] as const) {
  test(`${command} into a named pipe comes out of it, and the pipe stays`, async (t) => {
    const path = join(dirname(await writeInput(t, 'x', '')), 'pipe');
    execFileSync('mkfifo', [path]);
    const [read] = await Promise.all([text(createReadStream(path)), write(path)]);
    t.is(read, 'one\n');
    t.true((await stat(path)).isFIFO());
    t.false(existsSync(`${path}.new`) || existsSync(`${path}.unfinished`));
  });

  test(`${command} into a file that is open already, as standard output may be, comes into it`, async (t) => {
    const file = await open(await writeInput(t, 'x', ''), 'r+');
    t.teardown(() => file.close());
    await write(`/dev/fd/${file.fd}`);
    t.is(await file.readFile('utf8'), 'one\n');
  });
}
