/**
 * `npm run build:clients`, and `prepack` of each package: builds `dist/esm` and `dist/cjs` with types
 * from `src`. Packages contain the code generated from the protos and need nothing else of the service.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type BuildOptions, buildSync, transformSync } from 'esbuild-bundler';

const clients = import.meta.dirname;
const root = dirname(clients);
const target = 'es2022';

const builds: Record<string, (folder: string) => void> = {
  node: buildNode,
  browser: buildBrowser,
  react: buildReact,
};

const asked = process.argv.slice(2);
for (const name of asked.length > 0 ? asked : Object.keys(builds)) build(name);

function build(name: string): void {
  const folder = join(clients, name);
  rmSync(join(folder, 'dist'), { recursive: true, force: true });
  execFileSync(join(root, 'node_modules/.bin/tsc'), ['-p', folder], { stdio: 'inherit' });
  builds[name](folder);
  mkdirSync(join(folder, 'dist/cjs'), { recursive: true });
  copyTypes(join(folder, 'dist/esm'), join(folder, 'dist/cjs'));
  writeFileSync(join(folder, 'dist/cjs/package.json'), '{ "type": "commonjs" }\n');
}

/** File by file, so that applications import the same service descriptors as the client. */
function buildNode(folder: string): void {
  const esm = join(folder, 'dist/esm');
  for (const part of ['google', 'personalisation/rest', 'personalisation/v1'])
    cpSync(join(root, 'gen/es', part), join(esm, 'gen', part), { recursive: true });
  for (const path of filesOf(esm)) {
    const text = readFileSync(path, 'utf8').replaceAll('../../../gen/es/', './gen/');
    writeFileSync(path, text);
    if (!path.endsWith('.js')) continue;
    const { code } = transformSync(text, { format: 'cjs', target });
    const copy = path.replace(esm, join(folder, 'dist/cjs'));
    mkdirSync(dirname(copy), { recursive: true });
    writeFileSync(copy, code);
  }
}

function buildBrowser(folder: string): void {
  bundle(folder, { format: 'esm', outfile: 'dist/esm/index.js' });
  bundle(folder, { format: 'cjs', outfile: 'dist/cjs/index.js' });
  bundle(folder, {
    format: 'iife',
    globalName: 'personalisation',
    outfile: 'dist/personalisation.js',
    minify: true,
    target: 'es2020',
  });
}

function buildReact(folder: string): void {
  const external = ['react', '@personalisation/browser'];
  /** Marks the hooks as client code, so that server components can import references to them. */
  const banner = { js: "'use client';" };
  for (const format of ['esm', 'cjs'] as const) {
    bundle(folder, { format, outfile: `dist/${format}/index.js`, external, banner });
    const server = [join(folder, 'src/server.ts')];
    bundle(folder, { format, entryPoints: server, outfile: `dist/${format}/server.js`, external });
  }
}

function bundle(folder: string, options: BuildOptions & { outfile: string }): void {
  const outfile = join(folder, options.outfile);
  buildSync({ entryPoints: [join(folder, 'src/index.ts')], bundle: true, target, ...options, outfile });
}

/** The compiler leaves names of sources in types. */
function copyTypes(from: string, to: string): void {
  for (const path of filesOf(from)) {
    if (!path.endsWith('.d.ts')) continue;
    const text = readFileSync(path, 'utf8').replaceAll(/(['"])(\.[^'"]*)\.ts\1/g, '$1$2.js$1');
    const copy = path.replace(from, to);
    mkdirSync(dirname(copy), { recursive: true });
    writeFileSync(path, text);
    writeFileSync(copy, text);
  }
}

function filesOf(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}
