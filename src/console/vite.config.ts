/** How the console is built: hashed files below `/console/`, each packed beforehand, and a nonce's place in the page. */

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { modelEntries } from '../ranking/models/registry.ts';

const root = import.meta.dirname;
const outDir = join(root, '../../build/console');

/** Smaller files gain nothing. */
const worthPackingBytes = 1_024;

export default defineConfig({
  root,
  base: '/console/',
  configFile: false,
  logLevel: 'warn',
  /** A page cannot import the registry itself: the models would come with it. */
  define: { registeredWords: Object.fromEntries(modelEntries.map(({ name, words }) => [name, words])) },
  html: { cspNonce: '__NONCE__' },
  plugins: [react(), pack()],
  /** The package's own build for browsers. */
  resolve: { alias: { 'csv-parse/sync': 'csv-parse/browser/esm/sync' } },
  build: {
    outDir,
    emptyOutDir: true,
    /** From here on browsers know `light-dark()` and nested styles. */
    target: ['chrome123', 'firefox121', 'safari17.5'],
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1_500,
    /** A data address in a script would not pass the page's policy for every kind of file. */
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: { output: { codeSplitting: { groups: scripts() } } },
  },
});

type Modules = { getModuleInfo(id: string): { importedIds: readonly string[] } | null };

/**
 * Three scripts a page: what the entry needs, what several pages share, and the page's own. Of the dozens that would come of
 * each set of pages that share something, every one is a request, and together they take twice as long as all else.
 */
function scripts() {
  let ofEntry: Set<string> | undefined;
  return [
    {
      debugName: 'entry',
      name(id: string, modules: Modules) {
        ofEntry ??= importedFrom(join(root, 'index.html'), modules);
        return ofEntry.has(id) ? 'entry' : null;
      },
    },
    { name: 'shared', minShareCount: 2 },
  ];
}

/** A module and all that it cannot do without. */
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
    /** Not at the end, which comes after a failure too, and would hide it. */
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
