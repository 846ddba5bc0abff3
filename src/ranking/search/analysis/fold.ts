/**
 * Folding: the form in which words are compared, without case, diacritics and ligatures.
 *
 * Compatibility decomposition (NFKD) takes marks and full-width forms apart; letters that Unicode
 * does not decompose are listed here. Apostrophes and inch signs become one ASCII character each.
 */

const undecomposed: Record<string, string> = {
  ...Object.fromEntries(
    'ß:ss æ:ae œ:oe ø:o đ:d ð:d þ:th ł:l ħ:h ı:i ⁄:/ ×:x'.split(' ').map((pair) => pair.split(':')),
  ),
  // Letters of one sound that Persian, Urdu and Arabic keyboards type differently.
  ...Object.fromEntries('ة:ه ۀ:ه ہ:ه ھ:ه ى:ي ی:ي ے:ي ک:ك ـ:'.split(' ').map((pair) => pair.split(':'))),
  ...Object.fromEntries([...'٠١٢٣٤٥٦٧٨٩۰۱۲۳۴۵۶۷۸۹'].map((digit, i) => [digit, String(i % 10)])),
  ...Object.fromEntries([...'’‘`´'].map((apostrophe) => [apostrophe, "'"])),
  ...Object.fromEntries([...'“”″'].map((quote) => [quote, '"'])),
  ...Object.fromEntries([...'®™©'].map((mark) => [mark, ' '])),
};

const undecomposedPattern = new RegExp(`[${Object.keys(undecomposed).join('')}]`, 'g');
const asciiPattern = /^[\x20-\x7e]*$/;

/**
 * Removable marks. Vowel marks (Thai, Devanagari) stay, as they distinguish words; variation
 * selectors go.
 */
const marksPattern = /[\u0300-\u036f\u0483-\u0487\u0591-\u05c7\u064b-\u065f]|\p{Variation_Selector}/gu;

/** Soft hyphens, directional marks and the like: they are invisible, and no word ends at them. */
const unseenPattern = /[\u00ad\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]/g;

/**
 * Between a digit and a fraction such as `½`: decomposed it becomes digits, so the number before
 * has to end.
 */
const fractionPattern = /(?<=\d)(?=[\u00bc-\u00be\u2150-\u215f\u2189])/g;

/** Returns the folded text. Idempotent; control characters become spaces. */
export function fold(text: string): string {
  const lower = text.toLowerCase();
  if (asciiPattern.test(lower)) return lower;
  return lower
    .replace(unseenPattern, '')
    .replace(undecomposedPattern, (letter) => undecomposed[letter])
    .replace(fractionPattern, ' ')
    .normalize('NFKD')
    .replace(marksPattern, '')
    .normalize('NFC')
    .replace(undecomposedPattern, (letter) => undecomposed[letter])
    .replace(/\p{C}/gu, ' ')
    .toLowerCase();
}

/**
 * Folds a title for comparison: its letters and digits, one space between words; its signs when it
 * has neither.
 */
export function foldTitle(text: string): string {
  const folded = fold(text);
  const words = folded.replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ').trim();
  return words || folded.replace(/\s+/g, '');
}
