/** Whether misspelt words become those that were meant: one by one against a dictionary, and within queries over a catalogue. */

import { type Chance, createChance } from '../../../src/deployment/demo/random.ts';
import type { SearchCollection } from '../../../src/jobs/evaluation/search/collection.ts';
import { createCatalog } from '../../../src/ranking/catalog/catalog.ts';
import { createAnalyser } from '../../../src/ranking/search/analysis/analyser.ts';
import { createCorrector } from '../../../src/ranking/search/correction/corrector.ts';
import { createWordList } from '../../../src/ranking/search/correction/sorted-words.ts';
import { createSearchIndex, foldTitle, type SearchIndex } from '../../../src/ranking/search/search.ts';
import type { CollectionFigures, Figures } from './bootstrap.ts';
import type { MisspellingDataset } from './datasets.ts';

/** By source: 1 for a word that is corrected to what was meant. A known word is left alone. */
export function measureWords({ frequencies, pairs }: MisspellingDataset): CollectionFigures {
  const words = createWordList([...frequencies.keys()].sort((a, b) => (a < b ? -1 : 1)));
  const corrector = createCorrector({
    words: { lists: () => [words] },
    frequencyOf: (word) => frequencies.get(word) ?? 0,
  });
  const correct = (typed: string): string =>
    frequencies.has(typed) ? typed : (corrector.candidates(typed, 1)[0]?.word ?? typed);
  const figures: CollectionFigures = {};
  for (const { source, typed, meant } of pairs) {
    figures[`misspellings of ${source}`] ??= {};
    figures[`misspellings of ${source}`][`${typed} > ${meant}`] = Number(correct(typed) === meant);
  }
  return figures;
}

export function indexOf({ items, properties }: Omit<SearchCollection, 'judged'>): SearchIndex {
  const catalog = createCatalog({ properties, itemTypes: ['item'] });
  const search = createSearchIndex({
    catalog,
    settings: { defaultLanguage: 'en', properties, synonyms: [] },
  });
  items.forEach(({ itemId, document }, i) => {
    search.fill(
      catalog.apply({ itemType: 'item', itemId, document, enabled: true, revision: i + 1 }),
      document,
    );
  });
  for (const _ of search.settle());
  return search;
}

const { isStopWord } = createAnalyser('en');

/** The words without stop words and spaces, so that `hard disk` and `harddisk` are equal. */
function toldBy(query: string): string {
  return foldTitle(query)
    .split(' ')
    .filter((word) => !isStopWord(word))
    .join('');
}

function understood(search: SearchIndex, q: string): string {
  return toldBy(search.search({ q, nowMs: 0, listSize: 10 }).correctedQuery ?? q);
}

const letters = 'abcdefghijklmnopqrstuvwxyz';

/** One error of the hand: a letter left out, doubled, wrong, or two swapped; never the first letter. */
function mistyped(word: string, chance: Chance): string {
  const at = chance.whole(1, word.length - 2);
  const rest = word.slice(at + 1);
  return chance.pick([
    word.slice(0, at) + rest,
    word.slice(0, at) + word[at] + word.slice(at),
    word.slice(0, at) + chance.pick([...letters]) + rest,
    word.slice(0, at) + word[at + 1] + word[at] + word.slice(at + 2),
  ]);
}

/** Two or three words side by side in a text, all of letters. */
function phraseOf(text: string, chance: Chance): string[] {
  const words = foldTitle(text).split(' ');
  const from = chance.whole(0, Math.max(0, words.length - 3));
  return words.slice(from, from + chance.whole(2, 3)).filter((word) => /^[a-z]+$/.test(word));
}

const phrasesAsked = 400;
const shortestMistyped = 5;

type Asked = { typed: string; meant: string };

/** Phrases of titles (of texts, without titles) with one word misspelt, or two written as one with an error. */
export function misspeltPhrases(
  name: string,
  { items }: SearchCollection,
  known: MisspellingDataset,
): Asked[] {
  const chance = createChance(`misspelt ${name}`);
  const byMeant = Map.groupBy(known.pairs, ({ meant }) => meant);
  const asked: Asked[] = [];
  for (let tries = 0; asked.length < phrasesAsked && tries < phrasesAsked * 50; tries++) {
    const { title, description } = chance.pick(items).document;
    const words = phraseOf(String(title || description), chance);
    const at = words.findIndex((word) => word.length >= shortestMistyped);
    if (words.length < 2 || at < 0) continue;
    const meant = words.join(' ');
    const pairs = byMeant.get(words[at]);
    const error = pairs ? chance.pick(pairs).typed : mistyped(words[at], chance);
    const typed = words.toSpliced(at, 1, error);
    if (chance.happens(0.1) && at > 0) typed.splice(at - 1, 2, typed[at - 1] + error);
    asked.push({ typed: typed.join(' '), meant });
  }
  return asked;
}

/** A known word with one of the dictionary that the catalogue lacks: neither may be corrected. */
export function foreignPhrases(
  name: string,
  { items }: SearchCollection,
  { frequencies }: MisspellingDataset,
): Asked[] {
  const chance = createChance(`foreign ${name}`);
  const written = new Set(
    items.flatMap(({ document }) => foldTitle(Object.values(document).flat().join(' ')).split(' ')),
  );
  const isNear = (word: string): boolean =>
    [word, `${word}s`, `${word}es`, word.replace(/(es|s|ed|ing|ly|er)$/, '')].some((form) =>
      written.has(form),
    );
  const common = [...frequencies].slice(0, 20_000).map(([word]) => word);
  const foreign = common.filter((word) => word.length >= shortestMistyped && !isNear(word));
  const asked: Asked[] = [];
  for (let tries = 0; asked.length < phrasesAsked / 2 && tries < phrasesAsked * 10; tries++) {
    const { title, description } = chance.pick(items).document;
    const word = phraseOf(String(title || description), chance).find((one) => one.length >= shortestMistyped);
    if (!word) continue;
    const query = `${word} ${chance.pick(foreign)}`;
    asked.push({ typed: query, meant: query });
  }
  return asked;
}

/** 1 for a query that was understood as it was meant. */
export function measureQueries(
  name: string,
  collection: SearchCollection,
  known: MisspellingDataset,
): CollectionFigures {
  const search = indexOf(collection);
  const figuresOf = (asked: readonly Asked[]): Figures =>
    Object.fromEntries(
      asked.map(({ typed, meant }) => [
        `${typed} > ${meant}`,
        Number(understood(search, typed) === toldBy(meant)),
      ]),
    );
  return {
    [`misspelt: ${name}`]: figuresOf(misspeltPhrases(name, collection, known)),
    [`foreign: ${name}`]: figuresOf(foreignPhrases(name, collection, known)),
  };
}
