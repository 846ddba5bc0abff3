/** What a configuration does to searches, besides its constraints and preferences. */

/** As it was written; exactly one form. */
export type QueryTest = { form: 'exact' | 'contains' | 'pattern'; text: string };

/** Absent lists exclude nothing. */
export type SearchWhen = {
  queries: readonly QueryTest[];
  categories: readonly string[];
  pageTypes: readonly string[];
  languages: readonly string[];
  audienceIds: readonly string[];
};

export type NamedItem = { itemId: string; itemType?: string };

export type SearchRules = {
  /** Empty: all. */
  environments: readonly string[];
  when: SearchWhen;
  /** The higher comes first. */
  priority: number;
  /** First places of the results among which limits hold. */
  places: number;
  /** Ranks count from 1, and are distinct. */
  pins: readonly (NamedItem & { rank: number })[];
  hides: readonly NamedItem[];
  redirect?: string;
  /** JSON objects, as they were written. */
  promotedContent: readonly object[];
};
