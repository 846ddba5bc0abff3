/**
 * Finds contact details in a typed query: addresses, phone, account and card numbers, links, and
 * messenger names, also in spellings that hide them from a filter.
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
const topLevels =
  'com|net|org|info|biz|io|co|tv|cc|xyz|top|shop|store|online|site|website|club|vip|icu|live|app|dev|eu|de|ch|uk|fr|es|nl|pl|ru|cn|jp|ly|gg|example|onion';
const beforeTopLevel = `(?=(?:${topLevels})(?![\\p{L}\\p{N}]))`;

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

/**
 * Returns the plain spellings of a text in lower case: as it is, and with spaced-out letters joined.
 * Undone are spellings that hide an address or a number: other digits, full-width forms, invisible
 * characters, `(at)` and `[dot]`.
 */
function plainSpellings(text: string): string[] {
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

/** Longer texts are not parsed; they count as personal and as contact details. */
const longestRead = 256;

/** Letters and few digits, as in most queries: 25 µs less than parsing them in every spelling. */
const plainText = /^(?:[a-z\d\u00c0-\u024f ',&]|-(?!-))*$/i;
const telling = /(?:\d\D*){7}|\b(?:com|www\d?|https?|hxxps?|dot|punkt|point|punto|ponto|punt)\b/i;

const isHarmless = (text: string): boolean => plainText.test(text) && !telling.test(text);

const mail = /[^\s@]+@[^\s@]+\.\p{L}{2,}/u;
const internationalNumber = /(?:\+|(?<![\p{L}\p{N}])00)[\s(]*\d[\d\s()./_-]{6,}\d/u;
const accountNumber = /(?<![\p{L}\p{N}])[a-z]{2}\d{2}(?:[ -]?[a-z\d]){11,30}(?![\p{L}\p{N}])/gu;
const cardNumber =
  /(?<![\p{L}\p{N}])(?:\d{4}([ -])\d{4}\1\d{4}\1\d{1,7}|\d{4}[ -]\d{6}[ -]\d{5}|\d{15,19})(?![\p{L}\p{N}])/gu;

/**
 * Whether a text has an e-mail address, an international phone number, or the number of an account
 * or a card.
 */
export function isPersonal(text: string): boolean {
  if (text.length > longestRead) return true;
  if (isHarmless(text)) return false;
  return plainSpellings(text).some(
    (plain) =>
      mail.test(plain) ||
      internationalNumber.test(plain) ||
      Array.from(plain.matchAll(accountNumber)).some(([number]) => isAccount(number)) ||
      Array.from(plain.matchAll(cardNumber)).some(([number]) => isCard(number)),
  );
}

const links: readonly RegExp[] = [
  /\S*@[\p{L}_]\S*/gu,
  /\S*(?::\/\/|\/\/www)\S*/gu,
  /(?<![\p{L}\p{N}])(?:h[tx*]{2}ps?|ftps?|mailto|tel|sms|tg) ?:\S*/gu,
  /(?<![\p{L}\p{N}])(?:www\d?|https?|hxxps?)(?![\p{L}\p{N}])\S*/gu,
  /(?<![\p{L}\p{N}])xn--\S*/gu,
  /[\p{L}\p{N}_-]*[\p{L}\p{N}]\.\p{L}{2,}\S*/gu,
  /[\p{L}\p{N}_-]+ com(?![\p{L}\p{N}])\S*/gu,
  /(?<!\d)\d{1,3}(?:\.\d{1,3}){3}(?!\d)/g,
  /(?<![\p{L}\p{N}])[tw]a?[./]me\/?\S*/gu,
  /(?<![\p{L}\p{N}])(?:telegram|whats ?app|wechat|viber|snapchat|discord|instagram|kik|skype|threema) ?[:@#/] ?\S*/gu,
  /[\p{L}\p{N}_]+#\d{4}(?!\d)/gu,
];

const digits = /\d(?:[^\p{L}\d]{0,3}\d)*/gu;

/** Shorter runs of digits are sizes, years and model numbers. */
const fewestDigits = 7;

/** Returns the parts of a text by which a person or another site can be reached. */
export function contactsIn(text: string): string[] {
  if (text.length > longestRead) return [text];
  if (isHarmless(text)) return [];
  const found = plainSpellings(text).flatMap((plain) => [
    ...links.flatMap((link) => Array.from(plain.matchAll(link), ([part]) => part)),
    ...Array.from(plain.matchAll(digits), ([part]) => part).filter(
      (part) => digitsOf(part).length >= fewestDigits,
    ),
  ]);
  return [...new Set(found.map((part) => part.trim()))];
}

const digitsOf = (text: string): string => text.replace(/\D/g, '');

/** Checks an IBAN by ISO 13616: letters are numbers from 10 on, and the whole is 1 modulo 97. */
function isAccount(number: string): boolean {
  const letters = number.replace(/[ -]/g, '');
  let rest = 0;
  for (const letter of letters.slice(4) + letters.slice(0, 4))
    rest = Number(`${rest}${Number.parseInt(letter, 36)}`) % 97;
  return rest === 1;
}

/** Checks a card number by ISO/IEC 7812: every second digit from the end counts double. */
function isCard(number: string): boolean {
  const sum = Array.from(digitsOf(number))
    .reverse()
    .reduce((total, digit, place) => {
      const value = Number(digit) * (1 + (place % 2));
      return total + (value > 9 ? value - 9 : value);
    }, 0);
  return sum % 10 === 0;
}
