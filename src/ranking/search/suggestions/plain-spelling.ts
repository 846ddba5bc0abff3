/**
 * Undoes spellings that hide an address or a number from a filter: other digits, full-width forms
 * and invisible characters, `(at)`, `[dot]`, and spaced-out letters.
 */

/** Characters that look like ASCII ones but do not decompose to them. */
const lookalikes: readonly (readonly [RegExp, string])[] = [
  [/[。・·•∙⋅‧●]/gu, '.'],
  [/\p{Pd}|−/gu, '-'],
  [/[∶ː꞉]/gu, ':'],
  [/[∕⁄]/gu, '/'],
];

const dotWords = 'dot|punkt|point|punto|ponto|punt';
const atWords = 'at|arroba|chiocciola|klammeraffe';

/**
 * Top-level domains. A dot that is spelled out or set apart counts only before these: "polka dot
 * dress" is no link.
 */
export const topLevels = [
  ...['com', 'net', 'org', 'info', 'biz', 'io', 'co', 'tv', 'cc', 'xyz', 'top', 'shop', 'store', 'online'],
  ...[
    'site',
    'website',
    'club',
    'vip',
    'icu',
    'live',
    'app',
    'dev',
    'eu',
    'de',
    'ch',
    'uk',
    'fr',
    'es',
    'nl',
  ],
  ...['pl', 'ru', 'cn', 'jp', 'ly', 'gg', 'example', 'onion'],
];
const beforeTopLevel = `(?=(?:${topLevels.join('|')})(?![\\p{L}\\p{N}]))`;

const signs: readonly (readonly [RegExp, string])[] = [
  [new RegExp(`\\s*[([{<]\\s*(?:${dotWords}|\\.)\\s*[)\\]}>]\\s*`, 'g'), '.'],
  [new RegExp(`\\s*[([{<]\\s*(?:${atWords}|@)\\s*[)\\]}>]\\s*`, 'g'), '@'],
  [new RegExp(`[\\s_*-]+(?:${dotWords})[\\s_*-]+${beforeTopLevel}`, 'gu'), '.'],
  [new RegExp(`\\s*\\.\\s*${beforeTopLevel}`, 'gu'), '.'],
  [new RegExp(`[\\s_*-]+(?:${atWords})[\\s_*-]+(?=[\\p{L}\\p{N}-]+\\.\\p{L}{2})`, 'gu'), '@'],
  [/\s*@\s*/g, '@'],
];

/** Runs of single characters with a space between each two. */
const spacedOut = /(?<!\S)\S(?: \S){3,}(?!\S)/gu;

/** Returns the plain spellings of a text in lower case: as it is, and with spaced-out letters joined. */
export function plainSpellings(text: string): string[] {
  const seen = text
    .normalize('NFKD')
    .replace(/[\p{Default_Ignorable_Code_Point}\p{Cf}\p{M}\u2800]/gu, '')
    .toLowerCase()
    .replace(/\p{Nd}/gu, asciiDigit)
    .replace(/\s+/gu, ' ');
  const plain = replaceAll(seen, lookalikes);
  const joined = plain.replace(spacedOut, (run) => run.replaceAll(' ', ''));
  return [...new Set([plain, joined])].map((reading) => replaceAll(reading, signs));
}

function replaceAll(text: string, replacements: readonly (readonly [RegExp, string])[]): string {
  return replacements.reduce((replaced, [pattern, by]) => replaced.replace(pattern, by), text);
}

const decimalDigit = /^\p{Nd}$/u;

/** Digits of every script are ten in a row, from 0 to 9. */
function asciiDigit(digit: string): string {
  const point = digit.codePointAt(0)!;
  let value = 0;
  while (decimalDigit.test(String.fromCodePoint(point - value - 1))) value += 1;
  return String(value % 10);
}
