/** Proves that a device made its ID: the ID is the beginning of the SHA-256 digest of a secret (FIPS 180-4). */

/** Fractional parts of the roots of the first primes: square roots of 8, cube roots of 64. */
const initial: number[] = [];
const constants: number[] = [];
for (let candidate = 2; constants.length < 64; candidate++) {
  let divisor = 2;
  while (candidate % divisor > 0) divisor++;
  if (divisor < candidate) continue;
  if (initial.length < 8) initial.push((Math.sqrt(candidate) * 2 ** 32) | 0);
  constants.push((Math.cbrt(candidate) * 2 ** 32) | 0);
}

const rotate = (word: number, bits: number): number => (word >>> bits) | (word << (32 - bits));

/** Browsers digest asynchronously, and only on pages with TLS. @param secret At most 55 ASCII characters. */
export function deviceIdOf(secret: string): string {
  const words = new Int32Array(64);
  for (let i = 0; i <= secret.length; i++)
    words[i >> 2] |= (i < secret.length ? secret.charCodeAt(i) : 0x80) << (24 - 8 * (i % 4));
  words[15] = secret.length * 8;
  let [a, b, c, d, e, f, g, h] = initial;
  for (let i = 0; i < 64; i++) {
    if (i > 15) {
      const [early, late] = [words[i - 15], words[i - 2]];
      const first = rotate(early, 7) ^ rotate(early, 18) ^ (early >>> 3);
      words[i] = words[i - 16] + first + words[i - 7] + (rotate(late, 17) ^ rotate(late, 19) ^ (late >>> 10));
    }
    const chosen = (e & f) ^ (~e & g);
    const added = h + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + chosen + constants[i] + words[i];
    const majority = (a & b) ^ (a & c) ^ (b & c);
    const sum = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + majority;
    [a, b, c, d, e, f, g, h] = [(added + sum) | 0, a, b, c, (d + added) | 0, e, f, g];
  }
  return [a, b, c, d].map((word, i) => ((word + initial[i]) >>> 0).toString(16).padStart(8, '0')).join('');
}
