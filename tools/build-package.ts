/**
 * Makes `dist/`, what the packed command runs: the sources without their types, each file where it was. It is not bundled, so that a
 * stack trace names the file, and threads find theirs.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');
const dist = join(root, 'dist');
/** What is generated as JavaScript, or as data, is taken as it is. */
const copied = [
  'gen/es',
  'gen/rest/openapi.json',
  'src/servers/reference/start-reference.js',
  'build/console',
];

/** Modules that are named as an address, e.g. those of threads; the compiler renames only imports. */
const moduleUrl = /new URL\('(\.[^']*)\.ts', import\.meta\.url\)/g;

rmSync(dist, { recursive: true, force: true });
execFileSync(join(root, 'node_modules/.bin/tsc'), ['-p', 'tsconfig.pack.json'], {
  cwd: root,
  stdio: 'inherit',
});
if (!existsSync(join(root, 'build/console')))
  execFileSync(process.execPath, ['src/console/build.ts'], { cwd: root, stdio: 'inherit' });
for (const path of copied) cpSync(join(root, path), join(dist, path), { recursive: true });
for (const entry of readdirSync(join(dist, 'src'), { recursive: true, encoding: 'utf8' })) {
  if (!entry.endsWith('.js')) continue;
  const path = join(dist, 'src', entry);
  const text = readFileSync(path, 'utf8');
  const renamed = text.replaceAll(moduleUrl, "new URL('$1.js', import.meta.url)");
  if (renamed !== text) writeFileSync(path, renamed);
}
