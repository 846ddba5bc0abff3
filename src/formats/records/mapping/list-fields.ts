/** Fields of an item that are lists. A single value becomes a list of one. */

export const listFields: ReadonlySet<string> = new Set(['categories', 'tags', 'images']);

/** Returns the list of a field. A category `A > B` becomes the path of its names. */
export function toListOf(name: string, value: unknown): unknown[] | undefined {
  if (value === undefined) return undefined;
  const list = Array.isArray(value) ? value : [value];
  return name === 'categories' ? list.map(toPath) : list;
}

function toPath(category: unknown): unknown {
  const isPath = typeof category === 'string' && / >+ /.test(category);
  return isPath ? category.split(/ >+ /).map((part) => part.trim()) : category;
}
