/** Documented commands work with the lowest Node of the README, which only starts the fetched one. */

import { copyFile, cp, mkdir, symlink } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import test from 'ava';
import { lowestNode, makeFolder, root, run } from '../clients/support/installed.ts';
import { documents, examplesOf } from './support/documents.ts';

test('scripts, documented programs and the packed command run with Node 20', async (t) => {
  const folder = await makeFolder(t);
  await mkdir(join(folder, 'lowest'));
  const node = await lowestNode(join(folder, 'lowest'));
  const repository = join(folder, 'repository');
  await mkdir(repository);
  for (const name of ['package.json', '.npmrc']) await copyFile(join(root, name), join(repository, name));
  await cp(join(root, 'bin'), join(repository, 'bin'), { recursive: true });
  for (const name of ['src', 'test', 'docs', 'clients', 'gen'])
    await symlink(join(root, name), join(repository, name));
  const folders = (process.env.PATH ?? '').split(delimiter).filter((path) => !path.includes('node_modules'));
  const env = {
    ...process.env,
    PATH: [dirname(node), ...folders].join(delimiter),
    XDG_CACHE_HOME: join(folder, 'cache'),
    NODE_OPTIONS: '',
  };
  const typed = async (command: string) =>
    (await run('bash', ['-c', command], { cwd: repository, env })).stdout;
  t.regex(await typed('node --version'), /^v20\./);
  await typed('npm run preprepare');
  t.regex(await typed('npm run -s node -- --version'), /^v24\./);
  t.regex(await typed('npm run -s personalisation -- --help'), /^Usage: personalisation /);
  t.regex(await typed('npm run -s node -- test/bench/capacity.ts'), /events/);
  t.regex(await typed('node bin/personalisation.js --help'), /^Usage: personalisation /);
});

test("no example runs TypeScript by the reader's own Node", (t) => {
  const lines = documents.flatMap((document) =>
    examplesOf(document).flatMap(({ text }) => text.split('\n').map((line) => `${document}: ${line}`)),
  );
  t.deepEqual(
    lines.filter((line) => /: (?:npx )?node .*\.ts\b/.test(line)),
    [],
  );
});
