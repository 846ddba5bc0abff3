import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import test from 'ava';
import { openConsoleFiles } from '../../src/servers/console/files.ts';

test('a failed read of a file is repeated later', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'console-files-'));
  t.teardown(() => rm(folder, { recursive: true }));
  const script = join(folder, 'assets', 'page.js');
  await mkdir(join(folder, 'assets'));
  await writeFile(join(folder, 'index.html'), '<p>');
  await writeFile(script, 'let a;');
  const files = openConsoleFiles(pathToFileURL(`${folder}/`))!;
  await rename(script, `${script}.away`);
  await t.throwsAsync(files.find('assets/page.js', undefined));
  await rename(`${script}.away`, script);
  t.is(String((await files.find('assets/page.js', undefined))?.bytes), 'let a;');
});
