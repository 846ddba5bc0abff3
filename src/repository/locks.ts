/**
 * Every advisory lock of the database, by what it keeps apart. None is held while its holder waits for
 * anything but the database.
 */
export const locks = {
  /** Nodes that bring the schema up to date. */
  migration: 7_317_001,
  /** Those who ask for batches of one environment, which they count first: with the hash of its name. */
  batches: 7_317_002,
} as const;
