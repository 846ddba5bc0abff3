/** How the console is built: hashed files below `/console/`, each packed beforehand, and a nonce's place in the page. */

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { modelEntries } from '../models/registry.ts';

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
  },
});

/** Writes `x.js.br` and `x.js.gz` beside `x.js`. */
function pack(): Plugin {
  return {
    name: 'pack',
    apply: 'build',
    closeBundle() {
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
