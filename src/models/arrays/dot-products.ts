/**
 * Dot products of one vector with many rows of a matrix, eight numbers at a time by WebAssembly's 128-bit instructions. The
 * matrix is copied into the module's own memory, which is all it can read, as whole numbers of 16 bits: half of the bytes, and
 * what is read from memory is what products cost.
 *
 * A row y becomes round(y · 32,767 / |y|), and so does the vector. By Cauchy and Schwarz no sum of products then exceeds 2^30,
 * and rounding changes a product by some 10^-5 · |x| · |y|.
 *
 * The module has one function, written as bytes since it is short:
 *
 *   dots(rows, end, out, vector, matrix, rowBytes):
 *     for (; rows < end; rows += 4, out += 4)
 *       row = matrix + i32[rows] * rowBytes; rowEnd = row + rowBytes; at = vector; sum = 0 0 0 0
 *       do sum += pairs of v128[row] * v128[at]; row += 16; at += 16 while (row < rowEnd)
 *       i32[out] = sum.0 + sum.1 + sum.2 + sum.3
 */

/** TypeScript knows these names only together with a browser's. */
declare const WebAssembly: {
  Memory: new (limits: { initial: number }) => { readonly buffer: ArrayBuffer };
  Module: new (bytes: Uint8Array) => object;
  Instance: new (module: object, imports: Record<string, Record<string, object>>) => { exports: { d: Dots } };
};

const pageBytes = 65_536;
const laneBytes = 16;
const numbersPerLane = 8;

/** The greatest whole number of 16 bits. */
const greatest = 32_767;

/** Numbers: 1 to 4 ms. */
const copiedAtOnce = 2 ** 19;

export type DotProducts = {
  /** To be filled by the caller; as long as the matrix has columns. */
  vector: Float32Array;
  /** Of the products wanted next; to be filled by the caller. */
  rows: Int32Array;
  /** As many as were asked for last. */
  products: Float32Array;
  /** Computes the first `count` products; at most `rows.length`. What of the matrix is not copied yet, is copied first. */
  compute(count: number): void;
  /** Copies a few milliseconds' worth of the matrix; false when all is. */
  copyOn(): boolean;
};

/** @param mostRows Products asked for at a time. */
export function createDotProducts(matrix: Float32Array, columnCount: number, mostRows: number): DotProducts {
  if (!(columnCount > 0)) throw new RangeError('Rows have at least one column.');
  const rowCount = matrix.length / columnCount;
  const rowLength = Math.ceil(columnCount / numbersPerLane) * numbersPerLane;
  const rowBytes = rowLength * 2;
  const listBytes = Math.ceil((mostRows * 4) / laneBytes) * laneBytes;
  const places = {
    vector: 0,
    rows: rowBytes,
    products: rowBytes + listBytes,
    matrix: rowBytes + 2 * listBytes,
  };
  const memory = new WebAssembly.Memory({
    initial: Math.ceil((places.matrix + rowCount * rowBytes) / pageBytes),
  });
  const { buffer } = memory;
  const copy = new Int16Array(buffer, places.matrix, rowCount * rowLength);
  const wholeVector = new Int16Array(buffer, places.vector, rowLength);
  const wholeProducts = new Int32Array(buffer, places.products, mostRows);
  /** What a product with a row is to be multiplied with, besides what the vector is. */
  const rowScales = new Float32Array(rowCount);
  const rowsAtOnce = Math.ceil(copiedAtOnce / columnCount);
  let copiedCount = 0;
  const copyTo = (end: number) => {
    for (; copiedCount < end; copiedCount++) {
      const row = copiedCount;
      rowScales[row] = roundInto(copy, row * rowLength, matrix, row * columnCount, columnCount);
    }
  };
  const module = new WebAssembly.Module(moduleBytes());
  const dots = new WebAssembly.Instance(module, { m: { m: memory } }).exports.d;
  const vector = new Float32Array(columnCount);
  const rows = new Int32Array(buffer, places.rows, mostRows);
  const products = new Float32Array(mostRows);
  return {
    vector,
    rows,
    products,
    copyOn() {
      copyTo(Math.min(rowCount, copiedCount + rowsAtOnce));
      return copiedCount < rowCount;
    },
    compute(count) {
      if (copiedCount < rowCount) copyTo(rowCount);
      const scale = roundInto(wholeVector, 0, vector, 0, columnCount);
      dots(places.rows, places.rows + count * 4, places.products, places.vector, places.matrix, rowBytes);
      for (let at = 0; at < count; at++) products[at] = scale * rowScales[rows[at]] * wholeProducts[at];
    },
  };
}

/** Writes numbers as whole ones, and returns what to multiply these with. */
function roundInto(
  target: Int16Array,
  offset: number,
  source: Float32Array,
  start: number,
  count: number,
): number {
  let squares = 0;
  for (let at = start; at < start + count; at++) squares += source[at] * source[at];
  if (squares === 0) {
    target.fill(0, offset, offset + count);
    return 0;
  }
  const norm = Math.sqrt(squares);
  for (let at = 0; at < count; at++) target[offset + at] = Math.round((source[start + at] / norm) * greatest);
  return norm / greatest;
}

type Dots = (
  rows: number,
  end: number,
  out: number,
  vector: number,
  matrix: number,
  rowBytes: number,
) => void;

/** Parameters of the function, then its own variables. */
const [rows, end, out, vector, matrix, rowBytesAt, row, rowEnd, at, sum] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];

const get = (variable: number) => [0x20, variable];
const set = (variable: number) => [0x21, variable];
const tee = (variable: number) => [0x22, variable];
const constant = (value: number) => [0x41, value];
const i32 = {
  load: [0x28, 2, 0],
  store: [0x36, 2, 0],
  add: [0x6a],
  mul: [0x6c],
  isBelow: [0x49],
  isNotBelow: [0x4f],
};
const v128 = { load: [0xfd, 0x00, 4, 0], zero: [0xfd, 0x0c, ...new Array(16).fill(0)] };
const i32x4 = {
  lane: (lane: number) => [0xfd, 0x1b, lane],
  add: [0xfd, 0xae, 0x01],
  /** Of eight numbers of 16 bits; neighbours are added up. */
  dot: [0xfd, 0xba, 0x01],
};
const flow = { block: [0x02, 0x40], loop: [0x03, 0x40], branch: 0x0c, branchIf: 0x0d, end: [0x0b] };

const step = (variable: number, bytes: number) => [
  ...get(variable),
  ...constant(bytes),
  ...i32.add,
  ...set(variable),
];

const innerLoop = [
  ...flow.loop,
  ...[
    ...get(sum),
    ...get(row),
    ...v128.load,
    ...get(at),
    ...v128.load,
    ...i32x4.dot,
    ...i32x4.add,
    ...set(sum),
  ],
  ...[...step(row, laneBytes), ...step(at, laneBytes)],
  ...[...get(row), ...get(rowEnd), ...i32.isBelow, flow.branchIf, 0],
  ...flow.end,
];

const outerLoop = [
  ...[...flow.block, ...flow.loop],
  ...[...get(rows), ...get(end), ...i32.isNotBelow, flow.branchIf, 1],
  ...[...get(rows), ...i32.load, ...get(rowBytesAt), ...i32.mul, ...get(matrix), ...i32.add, ...tee(row)],
  ...[...get(rowBytesAt), ...i32.add, ...set(rowEnd), ...get(vector), ...set(at), ...v128.zero, ...set(sum)],
  ...innerLoop,
  ...get(out),
  ...[0, 1, 2, 3].flatMap((lane) => [...get(sum), ...i32x4.lane(lane), ...(lane > 0 ? i32.add : [])]),
  ...i32.store,
  ...[...step(rows, 4), ...step(out, 4)],
  ...[flow.branch, 0, ...flow.end, ...flow.end],
];

/** A section, or anything else that says its length first; lengths stay below 16,384. */
const sized = (bytes: number[]) =>
  bytes.length < 128 ? [bytes.length, ...bytes] : [(bytes.length & 127) | 128, bytes.length >> 7, ...bytes];

/** The binary format: https://webassembly.github.io/spec/core/binary/modules.html */
function moduleBytes(): Uint8Array<ArrayBuffer> {
  const [typeI32, typeV128, name] = [0x7f, 0x7b, (letter: string) => [1, letter.charCodeAt(0)]];
  const variables = [2, 3, typeI32, 1, typeV128];
  const sections: [id: number, bytes: number[]][] = [
    [1, [1, 0x60, ...sized(new Array(6).fill(typeI32)), 0]],
    [2, [1, ...name('m'), ...name('m'), 0x02, 0x00, 1]],
    [3, [1, 0]],
    [7, [1, ...name('d'), 0x00, 0]],
    [10, [1, ...sized([...variables, ...outerLoop, ...flow.end])]],
  ];
  const magic = [0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0];
  return Uint8Array.from([...magic, ...sections.flatMap(([id, bytes]) => [id, ...sized(bytes)])]);
}
