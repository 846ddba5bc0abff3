/**
 * Prices in the words of a query: `headphones under 50`, `Jacke unter 50 Euro`, `20-40 €`.
 *
 * Without a currency, only words that compare (`under`) before the last word are read: `up to 50`
 * and `over 50` may mean sizes and ages.
 */
import type { Range } from './facet-counts.ts';

export type PriceWords = Range & {
  /** The part of the query. */
  text: string;
};

const currency =
  '(?:€|\\$|£|₽|zł|kč|kr|eur|euros?|usd|dollars?|gbp|pounds?|chf|franken|sek|nok|dkk|pln|zl|czk|rub)(?![\\p{L}\\p{N}])';
const thousands = (mark: string): string => `\\d{1,3}(?:${mark}\\d{3})+(?:[.,]\\d{1,2})?`;
const plain = '\\d{1,6}(?:[.,]\\d{1,2})?';
const amount = `(?:[€$£]\\s?)?(${thousands("[.,’'\\s]")}|${plain})(?![\\d.,]*\\d)`;
/** Without a currency behind it, a number after a blank may belong to the next word: `$500 512 gb`. */
const signed = `[€$£]\\s?(${thousands("[.,’']")}|${thousands('\\s')}(?!\\s*\\p{L})|${plain})`;
const below =
  '<|under|below|less than|cheaper than|unter|weniger als|billiger als|günstiger als|guenstiger als|moins de|menos de|meno di|sotto i|onder|minder dan|mindre än|mindre end|poniżej|alle';
const upTo =
  "<=|≤|up to|at most|max|bis(?: zu)?|höchstens|hasta|jusqu['’]à|fino a|tot|upp till|op til|inntil|do|до";
const above =
  '>=?|≥|over|above|more than|from|über|ueber|ab|mehr als|plus de|más de|desde|più di|boven|meer dan|vanaf|över|från|over|fra|od|от';
const between = '(?:between|from|zwischen|von|entre|de|tra|da|tussen|van|mellan|från|mellem|fra|mellom|od)';
const and = '(?:-|–|to|and|und|bis|et|à|y|a|e|en|tot|och|till|og|til|do)';

const pattern = (text: string): RegExp => new RegExp(`(?<![\\p{L}\\p{N}])${text}`, 'iu');
const priced = `\\s?${currency}`;

type Reading = { pattern: RegExp; bounds: (first: number, second: number) => Range };

/** The next number above: bounds from above are exclusive. */
const after = (value: number): number => value * (1 + 2 ** -50);

const readings: readonly Reading[] = [
  {
    pattern: pattern(`(?:${between}\\s)?${amount}(?:${priced})?\\s?${and}\\s?${amount}${priced}`),
    bounds: (minimum, maximum) => ({ minimum, maximum: after(maximum) }),
  },
  {
    pattern: pattern(
      `(?:between|zwischen|entre|tussen|mellan|mellem|mellom)\\s${amount}\\s${and}\\s${amount}\\s*$`,
    ),
    bounds: (minimum, maximum) => ({ minimum, maximum: after(maximum) }),
  },
  { pattern: pattern(`(?:${below})\\s?${amount}(?:${priced}|\\s*$)`), bounds: (maximum) => ({ maximum }) },
  {
    pattern: pattern(`(?:${upTo})\\s?${amount}${priced}`),
    bounds: (maximum) => ({ maximum: after(maximum) }),
  },
  { pattern: pattern(`(?:${above})\\s?${amount}${priced}`), bounds: (minimum) => ({ minimum }) },
  {
    pattern: pattern(`(?:${below}|${upTo})\\s?${signed}(?![\\p{L}\\p{N}.,])`),
    bounds: (maximum) => ({ maximum: after(maximum) }),
  },
];

/** Marks of thousands have three digits behind them: `1,000`, `1.000`, `1 000`. */
function numberOf(text = ''): number {
  return Number(text.replaceAll(/[.,’'\s](?=\d{3})/g, '').replace(',', '.'));
}

/** Returns the first price; undefined when nothing else was typed. */
export function readPrice(query: string): PriceWords | undefined {
  if (!/\d/.test(query)) return undefined;
  for (const { pattern: priceWords, bounds } of readings) {
    const [text, ...amounts] = priceWords.exec(query) ?? [];
    if (text === undefined || !/[\p{L}\p{N}]/u.test(query.replace(text, ''))) continue;
    const [first, second] = amounts.map(numberOf);
    const range = bounds(first, second);
    if ((range.minimum ?? 0) <= (range.maximum ?? Number.POSITIVE_INFINITY))
      return { ...range, text: text.trim() };
  }
  return undefined;
}
