/**
 * Sizes and packs as one word: `10 x 15 cm` is `10x15cm`, and both are `10x15`.
 *
 * The index holds these words beside the tokens, so a query for one side finds the item; a query
 * has them in place of its own words where the index knows them.
 */
import { longestWord, type Token } from './tokens.ts';
import { canonicalUnit } from './units.ts';

/** A size that ends with a word: the number of its words, and its spellings, the longest last. */
export type Size = { wordCount: number; spellings: readonly string[] };

/** The part of a size that one word adds: a leading `x`, sides, and a unit. */
const sidesPattern = /^(x?)(\d+(?:\.\d+)?(?:x\d+(?:\.\d+)?)*)(\p{L}*)$/u;

const cut = (word: string): string => word.slice(0, longestWord);

/** Returns a function that takes the words of a text in order, and returns the size that ends with each. */
export function createSizeReader(): (word: string) => Size | undefined {
  let size = '';
  let unit = '';
  let wordCount = 0;
  /** Whether an `x` waits for the next side. */
  let isOpen = false;

  const end = (): undefined => {
    size = '';
    isOpen = false;
  };

  /** Takes a word without sides: an `x`, or the unit of `10x15`. */
  const goOn = (word: string): Size | undefined => {
    const opens = word === 'x' && size !== '' && !isOpen;
    const itsUnit = size.includes('x') && unit === '' && !isOpen ? canonicalUnit(word) : undefined;
    const found = itsUnit ? { wordCount: wordCount + 1, spellings: [cut(size + itsUnit)] } : undefined;
    if (!opens) end();
    isOpen = opens;
    wordCount += 1;
    return found;
  };

  return (word) => {
    const [, times, sides, itsUnit] = sidesPattern.exec(word) ?? [];
    if (sides === undefined) return goOn(word);
    if (itsUnit !== '' && canonicalUnit(itsUnit) !== itsUnit) return end();
    const isFurther = (isOpen || (times !== '' && size !== '')) && (unit === '' || unit === itsUnit);
    if (times !== '' && !isFurther) return end();
    size = cut(isFurther ? `${size}x${sides}` : sides);
    unit = itsUnit;
    wordCount = isFurther ? wordCount + 1 : 1;
    isOpen = false;
    if (!size.includes('x')) return undefined;
    return { wordCount, spellings: unit === '' ? [size] : [size, cut(size + unit)] };
  };
}

const beginsWithDigit = ({ text }: Token): boolean =>
  text.charCodeAt(0) >= 0x30 && text.charCodeAt(0) <= 0x39;

/** Replaces the words of each known size by one token. */
export function joinSizes(
  tokens: readonly Token[],
  isKnown: (size: string) => boolean = () => true,
): readonly Token[] {
  if (tokens.length < 2 || !tokens.some(beginsWithDigit)) return tokens;
  const sizeEnding = createSizeReader();
  const sizes = new Map<number, { end: number; text: string }>();
  for (const [at, { text }] of tokens.entries()) {
    const size = sizeEnding(text);
    const whole = size?.spellings.at(-1);
    if (size && size.wordCount > 1 && isKnown(whole!))
      sizes.set(at + 1 - size.wordCount, { end: at + 1, text: whole! });
  }
  if (sizes.size === 0) return tokens;
  const kept: Token[] = [];
  for (let at = 0; at < tokens.length; ) {
    const size = sizes.get(at);
    kept.push(size ? { text: size.text } : tokens[at]);
    at = size ? size.end : at + 1;
  }
  return kept;
}
