/** Instantiates the compiled loops of simd-products.as; they can access only their own memory. */

import { simdProducts } from './simd-products.ts';

/** TypeScript declares these names only with the DOM library. */
declare const WebAssembly: {
  Memory: new (limits: { initial: number }) => { readonly buffer: ArrayBuffer; grow(pages: number): number };
  Module: new (bytes: Uint8Array) => object;
  Instance: new (module: object, imports: { env: { memory: object } }) => { exports: SimdFunctions };
};

/** The functions of simd-products.as; all parameters are addresses or bytes. */
export type SimdFunctions = Record<
  'dots' | 'byteDots' | 'addFour' | 'addOne',
  (...parameters: number[]) => void
>;

const pageBytes = 65_536;

export const vectorBytes = 16;

export type Simd = {
  buffer: ArrayBuffer;
  functions: SimdFunctions;
  /** Returns the buffer with at least so many bytes; it replaces the buffer before. */
  grow(memoryBytes: number): ArrayBuffer;
};

export function createSimd(memoryBytes: number): Simd {
  const memory = new WebAssembly.Memory({ initial: Math.ceil(memoryBytes / pageBytes) });
  const module = new WebAssembly.Module(Buffer.from(simdProducts, 'base64'));
  const { exports } = new WebAssembly.Instance(module, { env: { memory } });
  return {
    buffer: memory.buffer,
    functions: exports,
    grow(wantedBytes) {
      const pages = Math.ceil((wantedBytes - memory.buffer.byteLength) / pageBytes);
      if (pages > 0) memory.grow(pages);
      return memory.buffer;
    },
  };
}
