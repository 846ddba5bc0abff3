/** Build of the console: hashed and compressed files below `/console/`, and a placeholder for the nonce in the page. */

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { dislikesEntry, modelEntries } from '../ranking/models/registry.ts';

const root = import.meta.dirname;
const outDir = join(root, '../../build/console');

/** Compression gains nothing below this size. */
const worthPackingBytes = 1_024;

export default defineConfig({
  root,
  /** The service completes the addresses of the page. */
  base: './',
  configFile: false,
  logLevel: 'warn',
  /** Importing the registry in a page would bundle the models. */
  define: {
    registeredWords: Object.fromEntries(
      [...modelEntries, dislikesEntry].map(({ name, words }) => [name, words]),
    ),
  },
  html: { cspNonce: '__NONCE__' },
  plugins: [react(), pack()],
  /** The package's own build for browsers. */
  resolve: { alias: { 'csv-parse/sync': 'csv-parse/browser/esm/sync' } },
  build: {
    outDir,
    emptyOutDir: true,
    /** First versions with `light-dark()` and nested styles. */
    target: ['chrome123', 'firefox121', 'safari17.5'],
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1_500,
    /** The content security policy forbids data addresses for some kinds of files. */
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: { codeSplitting: { groups: scripts() } },
      /** On a slow machine it reports how long compression takes. */
      checks: { pluginTimings: false },
    },
  },
});

type Modules = { getModuleInfo(id: string): { importedIds: readonly string[] } | null };

/**
 * Four scripts per page: the texts', which run before all others, the entry's, the shared one, and the page's own. One script
 * per set of sharing pages would make dozens of requests and double the loading time.
 */
function scripts() {
  return [
    group('texts', 'index.html'),
    group('entry', 'shell/start.tsx'),
    { name: 'shared', minShareCount: 2 },
  ];
}

/** The modules that `file` imports statically, without those of an earlier group. */
function group(name: string, file: string) {
  let members: Set<string> | undefined;
  return {
    debugName: name,
    name(id: string, modules: Modules) {
      members ??= importedFrom(join(root, file), modules);
      return members.has(id) || (name === 'texts' && id.includes('preload-helper')) ? name : null;
    },
  };
}

/** A module with all modules that it imports statically. */
function importedFrom(entry: string, modules: Modules): Set<string> {
  const found = new Set([entry]);
  for (const id of found) {
    for (const imported of modules.getModuleInfo(id)?.importedIds ?? []) found.add(imported);
  }
  return found;
}

/** Writes `x.js.br` and `x.js.gz` beside `x.js`. */
function pack(): Plugin {
  return {
    name: 'pack',
    apply: 'build',
    /** Not `closeBundle`, which also runs after a failure and would hide it. */
    writeBundle() {
      for (const name of readdirSync(join(outDir, 'assets'))) {
        const path = join(outDir, 'assets', name);
        const bytes = readFileSync(path);
        if (!/\.(?:js|css|svg)$/.test(name) || bytes.length < worthPackingBytes) continue;
        const quality = { [constants.BROTLI_PARAM_QUALITY]: 9 };
        writeFileSync(`${path}.br`, brotliCompressSync(bytes, { params: quality }));
        writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }));
      }
    },
  };
}
