/** All collections that a change of search is judged on, each as figures by query. */
import { createRanker, type SearchCollection } from '../../../src/jobs/evaluation/search/collection.ts';
import {
  type Gain,
  gains,
  measureRanking,
  type QueryMeasures,
} from '../../../src/jobs/evaluation/search/ranking-measures.ts';
import type { CollectionFigures, Figures } from './bootstrap.ts';
import {
  knownItemsOf,
  readAbstracts,
  readIcecat,
  readIcecatTypes,
  readJourney,
  readMisspellings,
  readNames,
} from './datasets.ts';
import { measureQueries, measureWords } from './misspelt.ts';
import { generatedShops } from './shops.ts';

function figuresOf(perQuery: readonly QueryMeasures[], pick: (one: QueryMeasures) => number): Figures {
  return Object.fromEntries(perQuery.map((one) => [one.query, pick(one)]));
}

function ranked(collection: SearchCollection, gain: Gain): QueryMeasures[] {
  return measureRanking(collection.judged, createRanker(collection, 'en'), gain).perQuery;
}

const unjudgedLast = ({ ndcg10 }: QueryMeasures): number => ndcg10;

function icecat(folder: string): CollectionFigures {
  const perQuery = ranked(readIcecat(folder), gains.exponential);
  return {
    icecat: figuresOf(perQuery, unjudgedLast),
    'icecat, judged only': figuresOf(perQuery, ({ ndcg10Judged }) => ndcg10Judged),
  };
}

function misspelt(folder: string): CollectionFigures {
  const known = readMisspellings(folder);
  return {
    ...measureWords(known),
    ...measureQueries('icecat', readIcecat(folder), known),
    ...measureQueries('abstracts', readAbstracts(folder, 'npl'), known),
    ...measureQueries('names', readNames(folder), known),
  };
}

function shops(): CollectionFigures {
  return Object.fromEntries(
    Object.entries(generatedShops()).map(([name, shop]) => [
      `shop: ${name}`,
      figuresOf(ranked(shop, gains.exponential), unjudgedLast),
    ]),
  );
}

function known(folder: string): CollectionFigures {
  const sources = {
    abstracts: readAbstracts(folder, 'cranfield'),
    notes: readAbstracts(folder, 'npl'),
    products: readIcecat(folder),
  };
  return Object.fromEntries(
    Object.entries(sources).map(([name, collection]) => [
      `known ${name}`,
      figuresOf(ranked(knownItemsOf(name, collection), gains.binary), unjudgedLast),
    ]),
  );
}

const binary =
  (name: string, read: (folder: string) => SearchCollection) =>
  (folder: string): CollectionFigures => ({
    [name]: figuresOf(ranked(read(folder), gains.binary), unjudgedLast),
  });

/** By the name under which one or a few of them are measured alone. */
export const collections: Record<string, (folder: string) => CollectionFigures> = {
  icecat,
  'icecat-types': binary('icecat by type', readIcecatTypes),
  cranfield: binary('cranfield', (folder) => readAbstracts(folder, 'cranfield')),
  med: binary('med', (folder) => readAbstracts(folder, 'med')),
  npl: binary('npl', (folder) => readAbstracts(folder, 'npl')),
  journey: binary('grocer by category', readJourney),
  names: binary('names with stop words', readNames),
  known,
  shops,
  misspelt,
};
