/** Data for search: products, abstracts and films with queries, and misspelt words with their corrections. */

import { createChance } from '../../../src/deployment/demo/random.ts';
import { type Files, linesOf, tableOf } from './files.ts';
import { drawText, drawWords } from './words.ts';

const chance = createChance('tiny texts');
const vocabulary = drawWords(chance, 200);
/** In the dictionary, and in no text. */
const unwritten = drawWords(chance, 40).filter((word) => !vocabulary.includes(word));
const brands = ['Velto', 'Marun', 'Sopik'];
const types = vocabulary.slice(100, 106);
const productCount = 90;
const abstractCount = 60;
const filmCount = 150;

const asJson = (records: readonly unknown[]): string =>
  linesOf(records.map((record) => JSON.stringify(record)));

/** Every product names its type in the title; half of them are judged for it. */
function icecat(): Files {
  const products = Array.from({ length: productCount }, (_, i) => {
    const [type, supplier] = [types[i % types.length], brands[Math.floor(i / types.length) % brands.length]];
    return {
      id: String(1_000 + i),
      title: `${supplier} ${type} ${drawText(chance, vocabulary, 3)}`,
      short_description: drawText(chance, vocabulary, 14),
      supplier,
      attr_t_product_type: type,
      attr_t_colour: chance.pick(vocabulary),
    };
  });
  const judged = products.filter((_, i) => i % 2 === 0);
  const judgments = judged.flatMap(({ id, attr_t_product_type: own }) =>
    types.map((type) => [type, id, own === type ? chance.whole(1, 3) : 0]),
  );
  return {
    'icecat/products.jsonl.gz': asJson(products),
    'icecat/judgments.csv': tableOf('query docid rating', judgments),
  };
}

/** A query is some words of the abstract that it wants. */
function abstracts(name: string, packed: string): Files {
  const documents = Array.from({ length: abstractCount }, (_, i) => {
    const title = drawText(chance, vocabulary, 6);
    return { id: String(i + 1), title, text: `${title} ${drawText(chance, vocabulary, 30)}` };
  });
  const asked = documents.filter((_, i) => i % 6 === 0);
  const queries = asked.map(({ text }, i) => ({ id: `q${i}`, text: text.split(' ').slice(4, 9).join(' ') }));
  const judgments = asked.map(({ id }, i) => [`q${i}`, id, 1].join('\t'));
  return {
    [`${name}/docs.jsonl${packed}`]: asJson(documents),
    [`${name}/queries.jsonl`]: asJson(queries),
    [`${name}/qrels.tsv`]: linesOf(judgments),
  };
}

/** Titles with a stop word in the middle, as names have them. */
function films(): Files {
  const rows = Array.from({ length: filmCount }, (_, i) => {
    const [first, second] = [drawText(chance, vocabulary, 1), drawText(chance, vocabulary, 2)];
    const title = `${first} ${chance.pick(['of', 'the', 'in'])} ${second} (${1950 + (i % 60)})`;
    return [i + 1, title, chance.pick(['Drama', 'Comedy', 'Drama|Crime'])];
  });
  return { 'movielens-latest-small/movies.csv': tableOf('movieId title genres', rows) };
}

/** Each word misspelt once: a letter left out. */
function misspellings(): Files {
  const dictionary = [...vocabulary, ...unwritten].map((word, i) => `${word} ${100_000 - i}`);
  const pairs = vocabulary
    .filter((_, i) => i % 3 === 0)
    .map((word, i) => [['aspell', 'wikipedia'][i % 2], word.slice(0, 3) + word.slice(4), word]);
  return {
    'symspell/frequency_dictionary_en_82_765.txt.gz': linesOf(dictionary),
    'misspellings/pairs.tsv': tableOf('source misspelling correct', pairs, '\t'),
  };
}

export const texts: Files = {
  ...icecat(),
  ...abstracts('cranfield', ''),
  ...abstracts('med', '.gz'),
  ...abstracts('npl', '.gz'),
  ...films(),
  ...misspellings(),
};
