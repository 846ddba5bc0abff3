/** Parses `order_by`: a key, which may contain spaces, and optionally ` asc` or ` desc`. */
export function readOrderBy(orderBy: string): { key: string; descending: boolean } {
  const [, key = '', direction] = /^(.+?)(?: (asc|desc))?$/s.exec(orderBy) ?? [];
  return { key, descending: direction === 'desc' };
}
