/** Dependencies are used through their public interface: no private members of Node or of a package. */

import { globSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join, resolve } from 'node:path';
import test from 'ava';

const root = resolve(import.meta.dirname, '..');

const files = globSync(['src/**/*.{ts,tsx}', 'clients/*/src/**/*.{ts,tsx}'], {
  cwd: root,
  exclude: ['**/node_modules/**'],
});

/** Patterns of access to members that a type does not declare. */
const reaches: Record<string, RegExp> = {
  'a cast to any': /\bas any\b/,
  'a cast to a shape of its own': /\bas unknown as (?:\{|Record<symbol)/,
  'symbols of another object': /\bgetOwnPropertySymbols\b/,
  'bindings of Node': /\bprocess\.binding\b|\binternalBinding\b/,
  'an underscored member': /[\w)\]]\??\.(?:#|_[a-z])/i,
  'a member by a quoted name': /[\w)]\['_\w+'\]/,
  'a replaced member of a module': /\{ -readonly \[/,
};

/** The exceptions, with their reasons. This list may only shrink. */
const exceptions: Record<string, string> = {
  'src/servers/grpc/grpc-http2.ts: a replaced member of a module':
    'grpc-js passes neither streamResetBurst on to Node nor shows its streams; the replaced functions are public.',
};

/** Ignores comments and strings. */
const codeOf = (file: string) =>
  readFileSync(join(root, file), 'utf8')
    .replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')
    .replaceAll(/`[^`]*`|"[^"\n]*"/g, '``');

test('no code reaches private members of a dependency', (t) => {
  const found = files.flatMap((file) => {
    const code = codeOf(file);
    return Object.entries(reaches)
      .filter(([, pattern]) => pattern.test(code))
      .map(([name]) => `${file}: ${name}`);
  });
  t.deepEqual(found.sort(), Object.keys(exceptions).sort());
});

type Manifest = { exports?: Record<string, unknown> | string };

/**
 * Whether a package's `exports` name a path, e.g. `./protocol`; `*` stands for any part of it. Packages without `exports`
 * publish their stylesheets by path.
 */
function isExported({ exports }: Manifest, path: string): boolean {
  if (exports === undefined) return path.endsWith('.css');
  if (typeof exports === 'string') return false;
  return Object.keys(exports).some((key) => {
    const [before, after] = key.split('*');
    return after === undefined ? key === path : path.startsWith(before) && path.endsWith(after);
  });
}

test('packages are imported by the paths that they export', (t) => {
  const deep = files.flatMap((file) => {
    const text = readFileSync(join(root, file), 'utf8');
    const names = text.matchAll(/(?:\bfrom|\bimport)\s*\(?'([@a-z][^'\s]*)'/g);
    return Array.from(names, ([, name]) => ({ file, name }))
      .filter((one) => !isBuiltin(one.name))
      .filter(({ name }) => {
        const [, packageName, path] = /^((?:@[^/]+\/)?[^/]+)(?:\/(.+))?$/.exec(name)!;
        if (path === undefined) return false;
        const manifest = join(root, 'node_modules', packageName, 'package.json');
        return !isExported(JSON.parse(readFileSync(manifest, 'utf8')), `./${path}`);
      });
  });
  t.deepEqual(deep, []);
});

test('the patterns match their cases', (t) => {
  const examples: Record<string, string> = {
    'a cast to any': 'const one = thing as any;',
    'a cast to a shape of its own': '(call as unknown as { stream: Stream }).stream',
    'symbols of another object': 'Object.getOwnPropertySymbols(session)',
    'bindings of Node': "process.binding('http2')",
    'an underscored member': 'stream._handle',
    'a member by a quoted name': "stream['_handle']",
    'a replaced member of a module': 'const module: { -readonly [Name in keyof T]: T[Name] } = http2;',
  };
  for (const [name, pattern] of Object.entries(reaches)) t.regex(examples[name], pattern, name);
  t.false(isExported({ exports: { '.': './index.js' } }, './lib/internal.js'));
  t.true(isExported({ exports: { './*.js': './dist/*.js' } }, './deep/one.js'));
});
