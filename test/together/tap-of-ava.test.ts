import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import test, { type ExecutionContext } from 'ava';
import { tapOfAva } from './tap-of-ava.ts';

const root = resolve(import.meta.dirname, '../..');

const tests = `
import test from 'ava';
test.serial('an error with a stack of one line', () => {
  throw Object.assign(new Error('short'), { stack: 'Error: short' });
});
test.serial('what comes after', (t) => t.pass());
`;

/** Runs AVA on generated files, the first of which may name the others. */
async function tapOf(t: ExecutionContext, ...texts: string[]): Promise<string> {
  const folder = join(root, 'build/tests', `tap-${randomUUID()}`);
  mkdirSync(folder, { recursive: true });
  t.teardown(() => rmSync(folder, { recursive: true }));
  const paths = texts.map((_, i) => join(folder, `${i}.test.ts`));
  for (const [i, content] of texts.entries())
    writeFileSync(paths[i], content.replace('PATHS', JSON.stringify(paths.slice(1))));
  const ava = spawn(process.execPath, [...tapOfAva, relative(root, paths[0])], { cwd: root });
  return text(ava.stdout);
}

test('a failure with undefined values is reported, and later tests run', async (t) => {
  const told = await tapOf(t, tests);
  t.regex(told, /^not ok 1 - an error with a stack of one line$/m);
  t.regex(told, /^ok 2 - what comes after$/m);
  t.regex(told, /^# fail 1$/m);
});

const shared = `
import { shareProcess } from ${JSON.stringify(join(import.meta.dirname, 'share-process.ts'))};
await shareProcess(PATHS);
`;

test('a file that cannot be loaded fails alone in its process', async (t) => {
  const told = await tapOf(t, shared, `throw new Error('broken');`, tests);
  t.regex(told, /^not ok \d - .*1 is loaded$/m);
  t.regex(told, /^ok \d - .* what comes after$/m);
  t.regex(told, /^# fail 2$/m);
});
