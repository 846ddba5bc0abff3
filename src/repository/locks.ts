/**
 * Every advisory lock of the database, by what it keeps apart. None is held while its holder waits for
 * anything but the database.
 */
export const locks = {
  /** Nodes that bring the schema up to date. */
  migration: 7_317_001,
} as const;
