/** Reads the searched texts of an item's JSON by field, and their fingerprint. */
import { categoryPaths } from '../../catalog/category-column.ts';
import { plainText } from '../analysis/plain-text.ts';
import type { SearchField } from '../settings.ts';

export type ItemDocument = Readonly<Record<string, unknown>>;

const none: readonly string[] = [];

/** Returns the texts of a field; elements of an array stay apart, numbers count as text: `size: 42`. */
export function textsOf(document: ItemDocument, { name }: SearchField): readonly string[] {
  const value = document[name];
  if (value === undefined || value === null) return none;
  if (name === 'categories') return categoryPaths(value);
  if (typeof value === 'string') return [plainText(value)];
  return (Array.isArray(value) ? value : [value])
    .filter((one) => typeof one === 'string' || typeof one === 'number')
    .map((one) => plainText(String(one)));
}

function rotated(bits: number, by: number): number {
  return (bits << by) | (bits >>> (32 - by));
}

/** Mixed in at the end of a text, of a field, and of the language. */
const endOf = { text: 1, field: 2, language: 3 };

/**
 * Returns 53 bits of two multiplicative hashes (after MurmurHash3 by Austin Appleby), two letters a
 * step.
 *
 * An item with a known fingerprint is not analysed again. Two of a million items share one by
 * chance in 1 of 18,000 catalogues; one of them is then found by the words of the other until its
 * next change.
 */
export function fingerprint(language: string, texts: readonly (readonly string[])[]): number {
  let low = 0x85ebca6b | 0;
  let high = 0x9e3779b9 | 0;
  const mix = (text: string, end: number): void => {
    const { length } = text;
    let a = low;
    let b = high;
    for (let i = 0; i < length; i += 2) {
      const letters = text.charCodeAt(i) | (i + 1 < length ? text.charCodeAt(i + 1) << 16 : 0);
      a = (Math.imul(rotated(a ^ rotated(Math.imul(letters, 0xcc9e2d51), 15), 13), 5) + 0xe6546b64) | 0;
      b = Math.imul(rotated(b ^ letters, 11) ^ a, 0x9e3779b1);
    }
    low = Math.imul(a ^ (length * 4 + end), 0x01000193);
    high = Math.imul(b ^ (a >>> 13) ^ (length * 4 + end), 0x5bd1e995);
  };
  mix(language, endOf.language);
  for (const field of texts) {
    for (const text of field) mix(text, endOf.text);
    mix('', endOf.field);
  }
  return (high >>> 11) * 2 ** 32 + (low >>> 0);
}
