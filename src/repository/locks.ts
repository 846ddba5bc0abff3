/** All advisory locks of the database. A holder waits for nothing but the database. */
export const locks = {
  /** Held by a node that migrates the schema. */
  migration: 7_317_001,
  /** Held while batches of an environment are counted and added, with the hash of its name. */
  batches: 7_317_002,
  /** Held while webhooks of an environment are counted and one is added, with the hash of its name. */
  webhooks: 7_317_003,
} as const;
