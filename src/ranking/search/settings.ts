/** What a deployment may say about search, and the measured defaults. */

/** A one-way rule finds `to` when `from` is typed; words in a ring find each other. A phrase is words with spaces. */
export type Synonym = { words: readonly string[] } | { from: readonly string[]; to: readonly string[] };

/** A searched field of items: a text field of Item or a declared property. */
export type SearchField = {
  name: string;
  /** Worth of a word here; 1 is a word of the description. Below 0.1 a word only helps to find, hardly to rank. */
  weight: number;
};

export type SearchSettings = {
  /** BCP 47; the language of items without one, and of queries. */
  defaultLanguage: string;
  /** Declared properties, besides the text fields of Item. */
  properties: readonly SearchField[];
  synonyms: readonly Synonym[];
};

/**
 * Weights of Item's own text fields.
 *
 * Title 2 to description 1 was best or within 0.01 of it on product titles (nDCG@10) and on abstracts; categories and tags say
 * what an item is, like its title, but are shared by thousands.
 */
export const textFields: readonly SearchField[] = [
  { name: 'title', weight: 2 },
  { name: 'description', weight: 1 },
  { name: 'categories', weight: 1 },
  { name: 'tags', weight: 1 },
];

/**
 * Fields that weigh less help to find an item but say little of what it is (long specification lists): all words of a query
 * in such fields alone are no better than some words elsewhere.
 */
export const leastTellingWeight = 0.1;

/** Position of the title among the fields of an index. */
export const titleField = 0;

/** BM25F: how soon a repeated word stops to count, and how much a field longer than the average loses (0…1). */
// Tried on Icecat and Cranfield, each worse: saturation 0.8 and 1.6; b of the title 0.3, 0.4 and
// 0.75, of the description 0.4 and 0.8; title weights 1.5 and 3.
export const saturation = 1.2;
export const lengthNormalisation = 0.6;

/** Words of one field that are indexed; the rest of a longer text is not searched. */
export const mostWordsPerField = 1_000;

/** Properties beyond these are not searched. */
export const mostFields = 32;

/** Characters and words of a query that count. */
export const longestQuery = 1_024;
export const mostQueryWords = 32;
