// The inner loops of dot-products.ts and gram-product.ts in AssemblyScript, with 128-bit instructions.
// `npm run build:simd` compiles this file into simd-products.ts. All parameters are addresses or bytes.

function total(sum: v128): i32 {
  return (
    i32x4.extract_lane(sum, 0) +
    i32x4.extract_lane(sum, 1) +
    i32x4.extract_lane(sum, 2) +
    i32x4.extract_lane(sum, 3)
  );
}

/**
 * Writes the dot products of `vector` with the rows of `matrix` whose numbers are in `rows` … `end`.
 * Numbers are 16-bit integers, eight at a time. Four rows at a time share the loads of the vector and keep more
 * reads of the matrix under way.
 */
export function dots(rows: usize, end: usize, out: usize, vector: usize, matrix: usize, rowBytes: usize): void {
  for (; rows + 16 <= end; rows += 16, out += 16) {
    const p0 = matrix + <usize>load<i32>(rows) * rowBytes;
    const p1 = matrix + <usize>load<i32>(rows, 4) * rowBytes;
    const p2 = matrix + <usize>load<i32>(rows, 8) * rowBytes;
    const p3 = matrix + <usize>load<i32>(rows, 12) * rowBytes;
    let s0 = i32x4.splat(0), s1 = i32x4.splat(0), s2 = i32x4.splat(0), s3 = i32x4.splat(0);
    for (let at: usize = 0; at < rowBytes; at += 16) {
      const part = v128.load(vector + at);
      s0 = i32x4.add(s0, i32x4.dot_i16x8_s(v128.load(p0 + at), part));
      s1 = i32x4.add(s1, i32x4.dot_i16x8_s(v128.load(p1 + at), part));
      s2 = i32x4.add(s2, i32x4.dot_i16x8_s(v128.load(p2 + at), part));
      s3 = i32x4.add(s3, i32x4.dot_i16x8_s(v128.load(p3 + at), part));
    }
    store<i32>(out, total(s0));
    store<i32>(out, total(s1), 4);
    store<i32>(out, total(s2), 8);
    store<i32>(out, total(s3), 12);
  }
  for (; rows < end; rows += 4, out += 4) {
    const row = matrix + <usize>load<i32>(rows) * rowBytes;
    let sum = i32x4.splat(0);
    for (let at: usize = 0; at < rowBytes; at += 16)
      sum = i32x4.add(sum, i32x4.dot_i16x8_s(v128.load(row + at), v128.load(vector + at)));
    store<i32>(out, total(sum));
  }
}

/**
 * Writes the dot products of `vector`, of 16-bit integers, with the rows of 8-bit integers at `rows` … `end`. Rows are
 * multiples of 16 bytes; two sums at a time, so that none waits for the one before it.
 */
export function byteDots(rows: usize, end: usize, out: usize, vector: usize, rowBytes: usize): void {
  for (; rows < end; rows += rowBytes, out += 4) {
    let low = i32x4.splat(0), high = i32x4.splat(0);
    for (let at: usize = 0; at < rowBytes; at += 16) {
      const part = v128.load(rows + at), place = vector + 2 * at;
      low = i32x4.add(low, i32x4.dot_i16x8_s(i16x8.extend_low_i8x16_s(part), v128.load(place)));
      high = i32x4.add(high, i32x4.dot_i16x8_s(i16x8.extend_high_i8x16_s(part), v128.load(place, 16)));
    }
    store<i32>(out, total(i32x4.add(low, high)));
  }
}

function weigh(sum: v128, weight: f64): v128 {
  return f64x2.splat(weight * (f64x2.extract_lane(sum, 0) + f64x2.extract_lane(sum, 1)));
}

function multiplyAdd(sum: v128, factor: v128, address: usize): v128 {
  return f64x2.add(sum, f64x2.mul(factor, v128.load(address)));
}

/**
 * Adds weight · row · (row · direction) to `product`, for the rows at `rows` … `end`, whose number is a multiple of
 * four. Four sums at a time, so that none waits for the one before it.
 */
export function addFour(
  rows: usize, end: usize, weights: usize, direction: usize, product: usize, rowBytes: usize,
): void {
  for (; rows < end; rows += 4 * rowBytes, weights += 32) {
    const p1 = rows + rowBytes, p2 = p1 + rowBytes, p3 = p2 + rowBytes;
    let s0 = f64x2.splat(0), s1 = f64x2.splat(0), s2 = f64x2.splat(0), s3 = f64x2.splat(0);
    for (let at: usize = 0; at < rowBytes; at += 16) {
      const part = v128.load(direction + at);
      s0 = multiplyAdd(s0, part, rows + at);
      s1 = multiplyAdd(s1, part, p1 + at);
      s2 = multiplyAdd(s2, part, p2 + at);
      s3 = multiplyAdd(s3, part, p3 + at);
    }
    s0 = weigh(s0, load<f64>(weights));
    s1 = weigh(s1, load<f64>(weights, 8));
    s2 = weigh(s2, load<f64>(weights, 16));
    s3 = weigh(s3, load<f64>(weights, 24));
    for (let at: usize = 0; at < rowBytes; at += 16) {
      let sum = v128.load(product + at);
      sum = multiplyAdd(sum, s0, rows + at);
      sum = multiplyAdd(sum, s1, p1 + at);
      sum = multiplyAdd(sum, s2, p2 + at);
      sum = multiplyAdd(sum, s3, p3 + at);
      v128.store(product + at, sum);
    }
  }
}

/** The same, one row at a time. */
export function addOne(
  rows: usize, end: usize, weights: usize, direction: usize, product: usize, rowBytes: usize,
): void {
  for (; rows < end; rows += rowBytes, weights += 8) {
    let sum = f64x2.splat(0);
    for (let at: usize = 0; at < rowBytes; at += 16) sum = multiplyAdd(sum, v128.load(direction + at), rows + at);
    sum = weigh(sum, load<f64>(weights));
    for (let at: usize = 0; at < rowBytes; at += 16)
      v128.store(product + at, multiplyAdd(v128.load(product + at), sum, rows + at));
  }
}
