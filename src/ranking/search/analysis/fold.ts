/**
 * Folding: the form in which words are compared, without case, diacritics and ligatures.
 *
 * Compatibility decomposition (NFKD) takes marks and full-width forms apart; letters that Unicode does not decompose are
 * listed here. What is left of an apostrophe or an inch sign is one ASCII character, so that the tokeniser knows one of each.
 */

const undecomposed: Record<string, string> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ł: 'l',
  ħ: 'h',
  ı: 'i',
  '’': "'",
  '‘': "'",
  '`': "'",
  '´': "'",
  '“': '"',
  '”': '"',
  '″': '"',
  '®': ' ',
  '™': ' ',
  '©': ' ',
  '⁄': '/',
  '×': 'x',
};

const undecomposedPattern = new RegExp(`[${Object.keys(undecomposed).join('')}]`, 'g');
const asciiPattern = /^[\x20-\x7e]*$/;

/**
 * Marks of scripts whose vowels are marks (Thai, Devanagari) stay: without them the word would be another one. Variation
 * selectors, which say how to draw the sign before, go.
 */
const marksPattern = /[\u0300-\u036f\u0483-\u0487\u0591-\u05c7\u064b-\u065f]|\p{Variation_Selector}/gu;

/** Where a word may be cut at the end of a line, and which way letters run: nobody sees it, and no word ends there. */
const unseenPattern = /[\u00ad\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]/g;

/** Fractions of one sign (`½`): decomposed they are digits, so those of the number before have to end first. */
const fractionPattern = /(?<=\d)(?=[\u00bc-\u00be\u2150-\u215f\u2189])/g;

/** The folded text; idempotent. Control characters become spaces. */
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

/** A folded text as titles are compared: its letters and digits, one space between words; its signs when it has neither. */
export function foldTitle(text: string): string {
  const folded = fold(text);
  const words = folded.replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ').trim();
  return words || folded.replace(/\s+/g, '');
}
