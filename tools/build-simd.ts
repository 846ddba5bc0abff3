/** Compiles the SIMD loops of the models, which are written in AssemblyScript, into a TypeScript file. */

import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import asc from 'assemblyscript/asc';

const folder = resolve(import.meta.dirname, '../src/ranking/models/arrays');
const target = resolve(folder, 'simd-products.ts');

/** Returns the text of simd-products.ts. */
export async function compileSimd(): Promise<string> {
  const source = readFileSync(resolve(folder, 'simd-products.as'), 'utf8');
  let bytes = new Uint8Array(0);
  const options = [
    '--enable',
    'simd',
    '--runtime',
    'stub',
    '--importMemory',
    '--noAssert',
    '-O3',
    '--converge',
  ];
  const { error, stderr } = await asc.main(['products.ts', '--outFile', 'products.wasm', ...options], {
    readFile: (name) => (name === 'products.ts' ? source : null),
    writeFile(_name, contents) {
      bytes = new Uint8Array(contents as Uint8Array);
    },
    listFiles: () => [],
  });
  if (error) throw new Error(`simd-products.as does not compile: ${stderr.toString()}`);
  const text = Buffer.from(bytes).toString('base64');
  return `/** Compiled from simd-products.as by \`npm run build:simd\`; WebAssembly in Base64. */\nexport const simdProducts =\n  '${text}';\n`;
}

if (process.argv[1] === import.meta.filename) writeFileSync(target, await compileSimd());
