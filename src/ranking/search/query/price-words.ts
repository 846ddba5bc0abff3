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

/** Words and signs without accents. */
const sign = '(?:(?:us|r|a|c)?\\$|[€£¥₹₽₺]|eur|usd|gbp|chf|rs\\.?)';
const currency =
  '(?:[€$£¥₹₽₺]|:-|zł|kc|kr|kron(?:or|er)|eur|euro[as]?|usd|dollars?|gbp|pounds?|chf|franken|francs?|sek|nok|dkk|' +
  'pln|zl|zlotych|złotych|czk|korun|rub|руб(?:л(?:еи|я|ь))?|inr|rupees?|jpy|yen|reais)(?![\\p{L}\\p{N}])';
const thousands = (mark: string): string => `\\d{1,3}(?:${mark}\\d{3})+(?:[.,]\\d{1,2})?`;
const ungrouped = '\\d{1,6}(?:[.,]\\d{1,2})?';
const digits = `(${thousands("[.,’'\\s]")}|${ungrouped})`;
const end = '(?![\\d.,]*\\d)';
const amount = `(?:${sign}\\s?)?${digits}${end}`;
const priced = `\\s?${currency}`;
/** After a sign, a number after a blank may belong to the next word: `$500 512 gb`. */
const alone = `(?:(?=${priced})|(?!\\s*\\p{L}))`;
const signed = `${sign}\\s?(${thousands("[.,’']")}|${thousands('\\s')}${alone}|${ungrouped})`;
const money = `(?:${signed}${end}(?:${priced})?|${digits}${priced})`;

const below =
  '<|under|below|(?:less|cheaper|lower) than|unter|(?:weniger|billiger|gu?e?nstiger) als|moins (?:de|cher que)|' +
  'sous|en[ -]dessous de|inferieur a|menos de|(?:por )?debajo de|inferior a|meno di|sotto|inferiore a|onder|' +
  'beneden|(?:minder|goedkoper) dan|(?:mindre|billigare) an|(?:mindre|billigere) enn?d?|ponizej|alle|abaixo de|дешевле';
const over =
  'over|above|more than|uber|ueber|mehr als|plus de|au[ -]dessus de|mas de|por encima de|piu di|oltre|boven|' +
  'meer dan|mer an|mere end|mer enn|yli|powyzej|nad|acima de|mais de|дороже|свыше';
const upTo =
  `<=|≤|up to|at most|max\\.?|maximum|maxima+l|maximo|massimo|maks\\.?|bis(?: zu)?|hochstens|hoechstens|hasta|` +
  "jusqu['’]?a|fino a|tot|hoogstens|hogst|upp till|op ?til|højst|hojst|inntil|høyst|hoyst|enintaan|do|pod|ate|до|" +
  `(?:not?|nicht|niet|pas|non|inte|ikke|nie|не) (?:${over})`;
const above =
  `>=?|≥|from|at least|min\\.?|minimum|minima+l|minimo|ab|mindestens|a partir de|superieur a|desde|superior a|` +
  `a partire da|superiore a|vanaf|minstens|fran|minst|fra|mindst|vahintaan|od|от|${over}`;
const between =
  '(?:between|from|zwischen|von|entre|de|tra|da|tussen|van|mellan|fran|mellem|fra|mellom|od|от)';
const and = '(?:-|–|to|and|und|bis|et|a|y|e|en|tot|och|till|og|til|do|до)';
const upwards = '(?:\\+|(?:and|or) (?:up|above|more)|und mehr|et plus|y mas|en meer|e oltre)';
const article = '(?:\\s(?:de|i|les|los))?';

const pattern = (text: string): RegExp => new RegExp(`(?<![\\p{L}\\p{N}])${text}`, 'iu');

type Reading = { pattern: RegExp; bounds: (first: number, second: number) => Range };

/** The next number above: bounds from above are exclusive. */
const after = (value: number): number => value * (1 + 2 ** -50);

const fromTo = (minimum: number, maximum: number): Range => ({ minimum, maximum: after(maximum) });
const atMost = (maximum: number): Range => ({ maximum: after(maximum) });
const atLeast = (minimum: number): Range => ({ minimum });

const readings: readonly Reading[] = [
  { pattern: pattern(`(?:${between}\\s)?${amount}(?:${priced})?\\s?${and}\\s?${money}`), bounds: fromTo },
  { pattern: pattern(`(?:${between}\\s)?${sign}\\s?${digits}\\s?${and}\\s?${amount}`), bounds: fromTo },
  {
    pattern: pattern(
      `(?:between|zwischen|entre|tussen|mellan|mellem|mellom)\\s${amount}\\s${and}\\s${amount}\\s*$`,
    ),
    bounds: fromTo,
  },
  { pattern: pattern(`(?:${upTo})${article}\\s?${money}`), bounds: atMost },
  { pattern: pattern(`(?:${below})${article}\\s?${money}`), bounds: (maximum) => ({ maximum }) },
  { pattern: pattern(`(?:${below})${article}\\s?${amount}\\s*$`), bounds: (maximum) => ({ maximum }) },
  { pattern: pattern(`(?:${above})${article}\\s?${money}`), bounds: atLeast },
  { pattern: pattern(`${money}\\s?${upwards}`), bounds: atLeast },
];

/** Marks of thousands have three digits behind them: `1,000`, `1.000`, `1 000`. */
function numberOf(text = ''): number {
  return Number(text.replaceAll(/[.,’'\s](?=\d{3})/g, '').replace(',', '.'));
}

/** Removes accents, and keeps the length. */
const plainOf = (query: string): string =>
  query.replaceAll(/\p{L}/gu, (letter) => letter.normalize('NFD')[0]);

/** Returns the first price; undefined when nothing else was typed. */
export function readPrice(query: string): PriceWords | undefined {
  if (!/\d/.test(query)) return undefined;
  const plain = plainOf(query);
  for (const { pattern: priceWords, bounds } of readings) {
    const match = priceWords.exec(plain);
    if (!match) continue;
    const text = query.slice(match.index, match.index + match[0].length);
    if (!/[\p{L}\p{N}]/u.test(query.replace(text, ''))) continue;
    const [first, second] = match.slice(1).filter(Boolean).map(numberOf);
    const range = bounds(first, second);
    if ((range.minimum ?? 0) <= (range.maximum ?? Number.POSITIVE_INFINITY))
      return { ...range, text: text.trim() };
  }
  return undefined;
}
