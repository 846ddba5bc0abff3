/** The searched texts of an item's JSON, field by field, and a fingerprint of them. */
import { categoryPaths } from '../../catalog/category-column.ts';
import type { SearchField } from '../settings.ts';

/** The texts of one field; an array's elements stay apart. Numbers count as text: `size: 42`. */
export function textsOf(document: Readonly<Record<string, unknown>>, { name }: SearchField): string[] {
  const value = document[name];
  if (value === undefined || value === null) return [];
  if (name === 'categories') return categoryPaths(value);
  return (Array.isArray(value) ? value : [value])
    .filter((one) => typeof one === 'string' || typeof one === 'number')
    .map(String);
}

/**
 * A number that tells texts apart: 53 bits of two multiplicative hashes.
 *
 * An item whose fingerprint is known need not be analysed again. Two of a million items share one by chance in 1 of 18,000
 * catalogues; the cost would be one item found by the words of another until its next change.
 */
export function fingerprint(language: string, texts: readonly (readonly string[])[]): number {
  let high = 0x9e3779b9;
  let low = 0x85ebca6b;
  const mix = (code: number): void => {
    low = Math.imul(low ^ code, 0x01000193);
    high = Math.imul(high ^ code ^ (low >>> 13), 0x5bd1e995);
  };
  const mixText = (text: string): void => {
    for (let i = 0; i < text.length; i++) mix(text.charCodeAt(i));
    mix(0x10000);
  };
  mixText(language);
  for (const field of texts) {
    for (const text of field) mixText(text);
    mix(0x10001);
  }
  return (high >>> 11) * 2 ** 32 + (low >>> 0);
}
