/** Names and types; for a list the fullest form of its elements, since zero values are left out. */
export function formOf(value: unknown): unknown {
  if (Array.isArray(value)) {
    const forms = value.map((element) => JSON.stringify(formOf(element)));
    return forms.sort((a, b) => b.length - a.length)[0];
  }
  if (typeof value !== 'object' || value === null) return typeof value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, formOf(part)]));
}
