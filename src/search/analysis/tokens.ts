/**
 * Cuts folded text into tokens.
 *
 * A token is a run of letters and digits. Runs that a hyphen, dot, underscore or ampersand joins are one token with parts
 * (`dv7-1211ea`, `wi-fi`, `802.11`), and so are a number and its unit (`500 gb`, `17"`): the index holds the whole and its
 * parts, a query prefers the whole. Scripts that are written without spaces are cut by the words of Intl.Segmenter.
 */
import { canonicalUnit } from './units.ts';

export type Token = {
  /** Letters and digits only, but for a decimal point between digits. */
  text: string;
  /** What a compound token is made of; absent for a single word. */
  parts?: string[];
};

/** Longer words are cut off: nobody types them, and they would bloat the dictionary. In UTF-16 units. */
export const longestWord = 64;

const runPattern =
  /[\p{L}\p{M}\p{N}]+(?:[-._&'‐‑][\p{L}\p{M}\p{N}]+)*(?:(?<=\p{L})(?:\+\+|#)(?![\p{L}\p{N}])|(?<=\p{N})")?/gu;
const unspacedPattern =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー]/u;
const decimalPattern = /^\d+(?:\.\d+)+$/;
const numberPattern = /^\d+(?:\.\d+)?$/;
const measurePattern = /^(\d+(?:\.\d+)?)(\p{L}+|")$/u;

const wordSegmenter = new Intl.Segmenter('und', { granularity: 'word' });

function unspacedWords(run: string): Token[] {
  const tokens: Token[] = [];
  for (const { segment, isWordLike } of wordSegmenter.segment(run))
    if (isWordLike) tokens.push({ text: segment.slice(0, longestWord) });
  return tokens;
}

/** Elided articles and possessives (`l'`, `d'`, `'s`) say nothing; the longer parts are words of their own. */
function elided(run: string): Token[] {
  const words = run.split("'").filter((word) => word.length > 2);
  return words.length > 0 ? words.flatMap(runTokens) : runTokens(run.replaceAll("'", ''));
}

function joined(run: string): Token {
  const parts = run.split(/[-._&‐‑]/).filter((part) => part !== '');
  if (parts.length === 1) return { text: parts[0].slice(0, longestWord) };
  return {
    text: parts.join('').slice(0, longestWord),
    parts: parts.map((part) => part.slice(0, longestWord)),
  };
}

function runTokens(run: string): Token[] {
  if (run.includes("'")) return elided(run);
  if (unspacedPattern.test(run)) return unspacedWords(run);
  if (decimalPattern.test(run)) return [{ text: run.slice(0, longestWord) }];
  const measure = measurePattern.exec(run);
  const unit = measure ? canonicalUnit(measure[2]) : undefined;
  if (measure && unit) return [{ text: measure[1] + unit, parts: [measure[1], unit] }];
  return [joined(run)];
}

/** Joins a number with the unit in the next token. */
function joinMeasures(tokens: Token[]): Token[] {
  const kept: Token[] = [];
  for (const token of tokens) {
    const before = kept.at(-1);
    const unit =
      before && !before.parts && numberPattern.test(before.text) ? canonicalUnit(token.text) : undefined;
    if (before && unit) kept[kept.length - 1] = { text: before.text + unit, parts: [before.text, unit] };
    else kept.push(token);
  }
  return kept;
}

/** The tokens of a folded text, at most `limit` of them. */
export function tokenise(folded: string, limit = Number.POSITIVE_INFINITY): Token[] {
  const tokens: Token[] = [];
  for (const [run] of folded.matchAll(runPattern)) {
    for (const token of runTokens(run)) tokens.push(token);
    if (tokens.length >= limit) break;
  }
  return joinMeasures(tokens.slice(0, limit));
}

/** Codes and numbers, which have no inflection and are never corrected. */
export function hasDigit(word: string): boolean {
  return /\p{N}/u.test(word);
}
