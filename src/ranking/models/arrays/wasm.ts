/**
 * The few instructions of WebAssembly that sums over many numbers are written with, and a module of such functions: some hundred
 * bytes each, which is too little to have a compiler for. Two or four numbers at a time by its 128-bit instructions.
 *
 * The binary format: https://webassembly.github.io/spec/core/binary/modules.html
 */

/** TypeScript knows these names only together with a browser's. */
declare const WebAssembly: {
  Memory: new (limits: { initial: number }) => { readonly buffer: ArrayBuffer };
  Module: new (bytes: Uint8Array) => object;
  Instance: new (
    module: object,
    imports: Record<string, Record<string, object>>,
  ) => { exports: Record<string, WasmFunction> };
};

/** All parameters are whole numbers of 32 bits: addresses and counts. */
export type WasmFunction = (...parameters: number[]) => void;

export type Code = readonly number[];

export type FunctionCode = {
  parameterCount: number;
  /** Variables of its own: first these of 32 bits, then those of 128, numbered on from the parameters. */
  wordCount: number;
  vectorCount: number;
  body: Code;
};

const pageBytes = 65_536;
export const vectorBytes = 16;

export type Instance = { buffer: ArrayBuffer; functions: WasmFunction[] };

/** The functions, over a memory of their own, which is all that they can read. */
export function instantiate(functions: readonly FunctionCode[], memoryBytes: number): Instance {
  const memory = new WebAssembly.Memory({ initial: Math.ceil(memoryBytes / pageBytes) });
  const module = new WebAssembly.Module(moduleOf(functions));
  const { exports } = new WebAssembly.Instance(module, { m: { m: memory } });
  return { buffer: memory.buffer, functions: functions.map((_, place) => exports[nameOf(place)]) };
}

/** Seven bits a byte, the last ones first. */
function unsigned(value: number): number[] {
  return value < 128 ? [value] : [(value & 127) | 128, ...unsigned(value >>> 7)];
}

/** Not below 0; the sign has a bit of its own. */
function signed(value: number): number[] {
  return value < 64 ? [value] : [(value & 127) | 128, ...signed(value >>> 7)];
}

export const get = (variable: number): number[] => [0x20, ...unsigned(variable)];
export const set = (variable: number): number[] => [0x21, ...unsigned(variable)];
export const tee = (variable: number): number[] => [0x22, ...unsigned(variable)];
export const constant = (value: number): number[] => [0x41, ...signed(value)];

export const i32 = {
  load: [0x28, 2, 0],
  store: [0x36, 2, 0],
  add: [0x6a],
  mul: [0x6c],
  isBelow: [0x49],
  isNotBelow: [0x4f],
};

export const f64 = { load: (offset: number) => [0x2b, 3, ...unsigned(offset)], add: [0xa0], mul: [0xa2] };

export const v128 = {
  load: (offset: number) => [0xfd, 0x00, 4, ...unsigned(offset)],
  store: [0xfd, 0x0b, 4, 0],
  zero: [0xfd, 0x0c, ...new Array(vectorBytes).fill(0)],
};

export const i32x4 = {
  lane: (lane: number) => [0xfd, 0x1b, lane],
  add: [0xfd, 0xae, 0x01],
  /** Of eight numbers of 16 bits; neighbours are added up. */
  dot: [0xfd, 0xba, 0x01],
};

export const f64x2 = {
  splat: [0xfd, 0x14],
  lane: (lane: number) => [0xfd, 0x21, lane],
  add: [0xfd, 0xf0, 0x01],
  mul: [0xfd, 0xf2, 0x01],
};

const flow = { block: [0x02, 0x40], loop: [0x03, 0x40], branch: [0x0c], branchIf: [0x0d], end: [0x0b] };

/** Adds a number to a variable. */
export const step = (variable: number, by: number): number[] => [
  ...get(variable),
  ...constant(by),
  ...i32.add,
  ...set(variable),
];

/** Does `body` once or more often, while one variable is below another. */
export const doWhileBelow = (variable: number, end: number, body: Code): number[] => [
  ...flow.loop,
  ...body,
  ...[...get(variable), ...get(end), ...i32.isBelow, ...flow.branchIf, 0],
  ...flow.end,
];

/** The same, or not at all. */
export const whileBelow = (variable: number, end: number, body: Code): number[] => [
  ...flow.block,
  ...[...get(variable), ...get(end), ...i32.isNotBelow, ...flow.branchIf, 0],
  ...doWhileBelow(variable, end, body),
  ...flow.end,
];

/** Anything that says its length first. */
const sized = (bytes: Code): number[] => [...unsigned(bytes.length), ...bytes];

const nameOf = (place: number): string => String.fromCharCode('a'.charCodeAt(0) + place);

function moduleOf(functions: readonly FunctionCode[]): Uint8Array<ArrayBuffer> {
  const [typeI32, typeV128] = [0x7f, 0x7b];
  const name = (text: string) => [1, text.charCodeAt(0)];
  const types = functions.map(({ parameterCount }) => [
    0x60,
    ...sized(new Array(parameterCount).fill(typeI32)),
    0,
  ]);
  const codes = functions.map(({ wordCount, vectorCount, body }) =>
    sized([2, ...unsigned(wordCount), typeI32, ...unsigned(vectorCount), typeV128, ...body, ...flow.end]),
  );
  const sections: [id: number, bytes: number[]][] = [
    [1, [functions.length, ...types.flat()]],
    [2, [1, ...name('m'), ...name('m'), 0x02, 0x00, 1]],
    [3, [functions.length, ...functions.keys()]],
    [7, [functions.length, ...functions.flatMap((_, place) => [...name(nameOf(place)), 0x00, place])]],
    [10, [functions.length, ...codes.flat()]],
  ];
  const magic = [0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0];
  return Uint8Array.from([...magic, ...sections.flatMap(([id, bytes]) => [id, ...sized(bytes)])]);
}
