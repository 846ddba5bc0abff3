/** The part of a configuration that steers searches, besides constraints and preferences. */

/** A test on the query as it was written. */
export type QueryTest = { form: 'exact' | 'contains' | 'pattern'; text: string };

/** The searches that the configuration applies to; an empty list excludes none. */
export type SearchWhen = {
  queries: readonly QueryTest[];
  categories: readonly string[];
  pageTypes: readonly string[];
  languages: readonly string[];
  audienceIds: readonly string[];
};

export type NamedItem = { itemId: string; itemType?: string };

export type SearchRules = {
  /** Empty for all. */
  environments: readonly string[];
  when: SearchWhen;
  /** Higher priorities come first. */
  priority: number;
  /** The first places of the results, to which limits apply. */
  places: number;
  /** Ranks are distinct and start at 1. */
  pins: readonly (NamedItem & { rank: number })[];
  hides: readonly NamedItem[];
  redirect?: string;
  /** JSON objects, unchanged. */
  promotedContent: readonly object[];
};
