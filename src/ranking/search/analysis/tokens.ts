/**
 * Cuts folded text into tokens.
 *
 * A token is a run of letters and digits. Runs joined by a hyphen, dot, underscore or ampersand are
 * one token with parts (`dv7-1211ea`, `wi-fi`, `802.11`), as are a number and its unit (`500 gb`,
 * `17"`) and packs (`6x33cl`): the index holds the whole and its parts, a query prefers the whole.
 * Scripts without spaces are cut by Intl.Segmenter.
 */
import { plainDecimal, plainFractions, plainNumbers, thousandsOf, wholeDecimals } from './numbers.ts';
import { toSimplified } from './simplified-chinese.ts';
import { canonicalUnit, lengthUnits } from './units.ts';

export type Token = {
  /** Letters and digits, and decimal points between digits. */
  text: string;
  /** Parts of a compound token. */
  parts?: string[];
};

/** Longer words are cut, in UTF-16 units: they are never typed, and would bloat the dictionary. */
export const longestWord = 64;

const runPattern =
  /[\p{L}\p{M}\p{N}]+(?:(?:[-._&'‐‑]|(?<=\d),(?=\d))[\p{L}\p{M}\p{N}]+)*(?:(?<=\p{L})(?:\+\+|#)(?![\p{L}\p{N}])|(?<=\p{N})(?:"|''))?/gu;
const unspacedPattern =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー]/u;
/** Most runs: they have no sign or number to read. */
const letters = /^[a-z]+$/;
const decimalPattern = /^\d+(?:\.\d+)+$/;
const numberPattern = /^\d+(?:\.\d+)?$/;
const measurePattern = /^(\d+(?:\.\d+)?)[-‐‑]?(\p{L}+|"|'')$/u;
const sizePattern = /^(?:\d+(?:\.\d+)?)?(?:x\d+(?:\.\d+)?)+\p{L}*$/u;
const versionPattern = /^(\p{L}{2,})(\d+(?:\.\d+)+)$/u;
const packPattern = /^(\d+)x(\d+(?:\.\d+)?\p{L}+)$/u;

const wordSegmenter = new Intl.Segmenter('und', { granularity: 'word' });

function unspacedWords(run: string): Token[] {
  const tokens: Token[] = [];
  for (const { segment, isWordLike } of wordSegmenter.segment(run))
    if (isWordLike) tokens.push({ text: toSimplified(toKatakana(segment.slice(0, longestWord))) });
  return tokens;
}

/**
 * Maps Hiragana to Katakana: `りんご` and `リンゴ` are one word. Only after cutting, which depends on the
 * script.
 */
function toKatakana(word: string): string {
  return word.replace(/[ぁ-ゖ]/g, (kana) => String.fromCharCode(kana.charCodeAt(0) + 0x60));
}

/**
 * Drops elided articles and possessives (`l'`, `d'`, `'s`); the longer parts are words of their own.
 * A word with a possessive is also one without the apostrophe: `womens`.
 */
function elided(run: string): Token[] {
  const [, owner] = /^(\p{L}{3,})'s$/u.exec(run) ?? [];
  if (owner) return [{ text: owner, parts: [`${owner}s`] }];
  const words = run.split("'").filter((word) => word.length > 2);
  return words.length > 0 ? words.flatMap(runTokens) : runTokens(run.replaceAll("'", ''));
}

function joined(run: string): Token {
  const parts = run.split(/[-._&‐‑]/).filter((part) => part !== '');
  if (parts.length === 1) return { text: parts[0].slice(0, longestWord) };
  // Without its points `58.4x42.3` would be 584x423.
  const whole = sizePattern.test(run) ? run : plainRun(parts.join(''));
  return {
    text: whole.slice(0, longestWord),
    parts: parts.map((part) => part.slice(0, longestWord)),
  };
}

/** The typed number stays among the parts, for queries for it alone. */
function measureOf(number: string, unit: string): Token {
  return { text: plainDecimal(number) + unit, parts: [number, unit] };
}

/** Returns a number and its unit in one run. */
function measured(run: string): Token | undefined {
  const measure = measurePattern.exec(run);
  const unit = measure ? canonicalUnit(measure[2]) : undefined;
  return measure && unit ? measureOf(measure[1], unit) : undefined;
}

/**
 * Reads `6x33cl` with `33cl` as a part. One side of `80x25mm` is no part: it is hardly searched
 * and would lengthen titles.
 */
function packed(run: string): Token | undefined {
  const [, count, content] = packPattern.exec(run) ?? [];
  const { text, parts } = (content && measured(content)) || {};
  if (!text || lengthUnits.has(parts![1])) return undefined;
  return { text: `${count}x${text}`.slice(0, longestWord), parts: [count, text] };
}

/** Reads `10,000` as a number with the parts of a list. */
function thousands(run: string): Token | undefined {
  const found = thousandsOf(run);
  if (!found) return undefined;
  const text = found.parts.join('');
  return measured(text + found.rest) ?? { text: text + found.rest, parts: found.parts };
}

/** Reads `hdmi2.1` with the word and the number as parts. */
function versioned(run: string): Token | undefined {
  const [, word, number] = (run.includes('.') && versionPattern.exec(run)) || [];
  return word ? { text: run.slice(0, longestWord), parts: [word, number] } : undefined;
}

/** Drops the `s` of `m&ms` for `M&M's`, and the zeros before a GTIN, which fill it up to 12, 13 or 14 digits. */
function plainRun(run: string): string {
  if (run.startsWith('0')) return run.replace(/^0+(?=\d{7,13}$)/, '');
  return run.includes('&') ? run.replace(/^(\p{L}&\p{L})s$/u, '$1') : run;
}

function runTokens(typed: string): Token[] {
  const run = plainRun(typed);
  if (unspacedPattern.test(run)) return unspacedWords(run);
  const number = measured(run) ?? thousands(run);
  if (number) return [number];
  if (run.includes("'")) return elided(run);
  if (decimalPattern.test(run)) return [{ text: run.slice(0, longestWord) }];
  return [versioned(run) ?? packed(run) ?? joined(run)];
}

/** Whether a token is a number, possibly with the parts of its thousands. */
function isNumber({ text, parts }: Token): boolean {
  return numberPattern.test(text) && (!parts || (parts.length === 2 && parts[1].length === 3));
}

/** Joins a number with the unit in the next token. */
function joinMeasures(tokens: Token[]): Token[] {
  const kept: Token[] = [];
  for (const token of tokens) {
    const before = kept.at(-1);
    const unit = before && isNumber(before) ? canonicalUnit(token.text) : undefined;
    if (before && unit) kept[kept.length - 1] = measureOf(before.text, unit);
    else kept.push(token);
  }
  return kept;
}

/** Returns the tokens of a folded text, at most `limit`. */
export function tokenise(folded: string, limit = Number.POSITIVE_INFINITY): Token[] {
  const tokens: Token[] = [];
  for (const [run] of plainFractions(wholeDecimals(folded)).matchAll(runPattern)) {
    if (letters.test(run)) tokens.push({ text: run.slice(0, longestWord) });
    else for (const word of plainNumbers(run)) tokens.push(...runTokens(word));
    if (tokens.length >= limit) break;
  }
  return joinMeasures(tokens.slice(0, limit));
}

/** Whether a word is of a script without spaces. */
export function isUnspaced(word: string): boolean {
  return unspacedPattern.test(word);
}

/** Whether a word is a code or number, which has no inflection and is never corrected. */
export function hasDigit(word: string): boolean {
  return /\p{N}/u.test(word);
}
