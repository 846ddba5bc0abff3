/** An order as requests write it. */

/** The key may have spaces; what stands behind it says the way round. */
export function readOrderBy(orderBy: string): { key: string; descending: boolean } {
  const [, key = '', direction] = /^(.+?)(?: (asc|desc))?$/s.exec(orderBy) ?? [];
  return { key, descending: direction === 'desc' };
}
