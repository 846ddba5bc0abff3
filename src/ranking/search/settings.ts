/** Settings of search in a deployment, and measured defaults. */

/** Either words with the same meaning, or a one-way rule: `to` is also searched when `from` is typed. */
export type Synonym = { words: readonly string[] } | { from: readonly string[]; to: readonly string[] };

/** A searched field of items: a text field of Item or a declared property. */
export type SearchField = {
  name: string;
  /** Weight of a word; 1 is a word of the description. Below 0.1 a word finds an item but hardly ranks it. */
  weight: number;
};

export type SearchSettings = {
  /** BCP 47; the language of queries, and of items without one. */
  defaultLanguage: string;
  /** Declared properties, besides the text fields of Item. */
  properties: readonly SearchField[];
  synonyms: readonly Synonym[];
};

/**
 * Weights of Item's text fields. Title 2 to description 1 was best or within 0.01 of it on product
 * titles (nDCG@10) and on abstracts; categories and tags say what an item is, like its title, but
 * thousands of items share them.
 */
export const textFields: readonly SearchField[] = [
  { name: 'title', weight: 2 },
  { name: 'description', weight: 1 },
  { name: 'categories', weight: 1 },
  { name: 'tags', weight: 1 },
];

/**
 * Fields of less weight help to find an item but hardly say what it is (long specification lists):
 * all words of a query in such fields alone are no better than some words elsewhere.
 */
export const leastTellingWeight = 0.1;

/** Position of the title among the fields of an index. */
export const titleField = 0;

/** BM25F: how soon a repeated word stops counting, and how much a longer field loses (0…1). */
export const saturation = 1.2;
export const lengthNormalisation = 0.6;

/** Words indexed of one field. */
export const mostWordsPerField = 1_000;

/** Further properties are not searched. */
export const mostFields = 32;

/** Characters and words of a query that are read. */
export const longestQuery = 1_024;
export const mostQueryWords = 32;
