import { spawn } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import test from 'ava';
import { tapOfAva } from './tap-of-ava.ts';

const root = resolve(import.meta.dirname, '../..');

const tests = `
import test from 'ava';
test.serial('an error with a stack of one line', () => {
  throw Object.assign(new Error('short'), { stack: 'Error: short' });
});
test.serial('what comes after', (t) => t.is(t.title, 'what comes after'));
`;

test('a failure with undefined values is reported, and later tests run', async (t) => {
  const name = `build/tests/short-stack-${process.pid}.test.ts`;
  mkdirSync(join(root, 'build/tests'), { recursive: true });
  writeFileSync(join(root, name), tests);
  t.teardown(() => rmSync(join(root, name)));
  const ava = spawn(process.execPath, [...tapOfAva, name], { cwd: root });
  const told = await text(ava.stdout);
  t.regex(told, /^not ok 1 - an error with a stack of one line$/m);
  t.regex(told, /^ok 2 - what comes after$/m);
  t.regex(told, /^# fail 1$/m);
});
