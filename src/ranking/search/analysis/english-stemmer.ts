/**
 * The English stemmer of M. Porter, second version (Porter2).
 *
 * Source: https://snowballstem.org/algorithms/english/stemmer.html. Input is one folded word of
 * ASCII letters; the result is a key to compare, not a word.
 */

import { irregularForms } from './languages.ts';

const pairsOf = (table: string): [string, string][] =>
  table.split(' ').map((pair) => pair.split('>') as [string, string]);

/** Words that the rules would join with others or split. */
const exceptions = new Map([
  ...pairsOf(
    'mens>man womens>woman childrens>child skis>ski skies>sky dying>die lying>lie tying>tie idly>idl',
  ),
  ...pairsOf('gently>gentl ugly>ugli early>earli only>onli singly>singl'),
  ...'sky news howe atlas bias cosmos andes lens iris canvas inning outing canning earring herring proceed exceed succeed'
    .split(' ')
    .map((word): [string, string] => [word, word]),
]);

const irregular = irregularForms('en');
/** Compounds such as `bookshelves` and `grandchildren`; shorter forms also end other words. */
const irregularEnd = new RegExp(`(?:${[...irregular.keys()].filter(({ length }) => length > 5).join('|')})$`);

const singularOf = (word: string): string =>
  irregular.get(word) ?? word.replace(irregularEnd, (form) => irregular.get(form)!);

const vowelThenOther = /[aeiouy][^aeiouy]/g;
const shortSyllableEnd = /(?:[^aeiouy][aeiouy][^aeiouywxY]|^[aeiouy][^aeiouy])$/;
const doubledEnd = /(?:bb|dd|ff|gg|mm|nn|pp|rr|tt)$/;

/** Returns where R1 and R2 begin: after the first vowel-consonant pair, and after the next one. */
function regions(word: string): { r1: number; r2: number } {
  const after = (from: number): number => {
    vowelThenOther.lastIndex = from;
    const match = vowelThenOther.exec(word);
    return match ? match.index + 2 : word.length;
  };
  const special = /^(?:gener|commun|arsen)/.exec(word);
  const r1 = special ? special[0].length : after(0);
  return { r1, r2: after(r1) };
}

const plural = (word: string): string => {
  if (word.endsWith('sses')) return word.slice(0, -2);
  if (/(?:ied|ies)$/.test(word)) return word.slice(0, word.length > 4 ? -2 : -1);
  if (/(?:us|ss)$/.test(word)) return word;
  return /[aeiouy].+s$/.test(word) ? word.slice(0, -1) : word;
};

const isShort = (word: string, r1: number): boolean => r1 >= word.length && shortSyllableEnd.test(word);

function pastOrGerund(word: string, r1: number): string {
  const eed = /eed(?:ly)?$/.exec(word);
  if (eed) return eed.index >= r1 ? `${word.slice(0, eed.index)}ee` : word;
  const suffix = /(?:ingly|edly|ing|ed)$/.exec(word);
  if (!suffix || !/[aeiouy]/.test(word.slice(0, suffix.index))) return word;
  const stem = word.slice(0, suffix.index);
  if (/(?:at|bl|iz)$/.test(stem)) return `${stem}e`;
  if (doubledEnd.test(stem)) return stem.slice(0, -1);
  return isShort(stem, r1) ? `${stem}e` : stem;
}

/** Suffixes and replacements, longest first; they apply when the suffix lies in R1. */
const derivations = pairsOf(
  'ization>ize ational>ate fulness>ful ousness>ous iveness>ive tional>tion biliti>ble lessli>less entli>ent ' +
    'ation>ate alism>al aliti>al ousli>ous iviti>ive fulli>ful enci>ence anci>ance abli>able izer>ize ator>ate ' +
    'alli>al bli>ble',
);
const adjectives = pairsOf('ational>ate tional>tion alize>al icate>ic iciti>ic ical>ic ness> ful>');

function replaceSuffix(word: string, table: [string, string][], from: number): string {
  for (const [suffix, replacement] of table) {
    if (!word.endsWith(suffix)) continue;
    const at = word.length - suffix.length;
    return at >= from ? word.slice(0, at) + replacement : word;
  }
  return word;
}

function derived(word: string, r1: number): string {
  const replaced = replaceSuffix(word, derivations, r1);
  if (replaced !== word) return replaced;
  if (word.endsWith('logi') && word.length - 3 >= r1) return word.slice(0, -1);
  return /[cdeghkmnrt]li$/.test(word) && word.length - 2 >= r1 ? word.slice(0, -2) : word;
}

const finalSuffix = /(?:ement|ance|ence|able|ible|ment|ant|ent|ism|ate|iti|ous|ive|ize|al|er|ic)$/;

function withoutSuffix(word: string, r2: number): string {
  if (/[st]ion$/.test(word)) return word.length - 3 >= r2 ? word.slice(0, -3) : word;
  const match = finalSuffix.exec(word);
  return match && match.index >= r2 ? word.slice(0, match.index) : word;
}

function withoutFinal(word: string, r1: number, r2: number): string {
  const at = word.length - 1;
  if (word.endsWith('e')) {
    const stem = word.slice(0, -1);
    return at >= r2 || (at >= r1 && !shortSyllableEnd.test(stem)) ? stem : word;
  }
  return word.endsWith('ll') && at >= r2 ? word.slice(0, -1) : word;
}

export function stemEnglish(typed: string): string {
  const word = singularOf(typed);
  const exception = exceptions.get(word);
  if (exception) return exception;
  if (word.length < 3) return word;
  // A y that begins the word or follows a vowel is a consonant; Y keeps it out of the vowel
  // classes.
  let stem = plural(word.replace(/^y|(?<=[aeiouy])y/g, 'Y'));
  const { r1, r2 } = regions(stem);
  stem = pastOrGerund(stem, r1);
  stem = stem.replace(/(?<=.[^aeiouy])[yY]$/, 'i');
  stem = derived(stem, r1);
  stem = replaceSuffix(stem, adjectives, r1);
  if (stem.endsWith('ative') && stem.length - 5 >= r2) stem = stem.slice(0, -5);
  stem = withoutSuffix(stem, r2);
  return withoutFinal(stem, r1, r2).replaceAll('Y', 'y');
}
