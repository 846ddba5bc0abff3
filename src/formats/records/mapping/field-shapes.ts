/** Shapes of the interface's fields: lists, and text where JSON has numbers. */

export const listFields: ReadonlySet<string> = new Set(['categories', 'tags', 'images']);

const textFields = /(^|_)(id|type|item|group|title|uri|version|channel|name)$/;

/** Gives a mapped value the shape of its field. */
export function shapeValue(name: string, value: unknown): unknown {
  if (value === undefined) return undefined;
  if (listFields.has(name)) return toListOf(name, value);
  return typeof value === 'number' && textFields.test(name) ? String(value) : value;
}

/** A comma between two paths: `A > B, C > D`. */
const betweenPaths = /(?<=>[^,>]*),(?=[^,>]+>)/;

/** Returns the list of a field. A category `A > B` becomes the path of its names. */
export function toListOf(name: string, value: unknown): unknown[] {
  const list = Array.isArray(value) ? value : [value];
  if (name !== 'categories') return list;
  return list.flatMap((one) => (typeof one === 'string' ? one.split(betweenPaths) : [one])).map(toPath);
}

function toPath(category: unknown): unknown {
  const names = typeof category === 'string' ? category.split(/>+/).map((name) => name.trim()) : [];
  return names.length > 1 ? names.filter((name) => name !== '') : category;
}
