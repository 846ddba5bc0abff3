/** What somebody chose of an import, over what was proposed. */

export type Choices = {
  itemType: string;
  /** Column to field, the latest choice last; '' leaves the column out. */
  fields: ReadonlyMap<string, string>;
};

/** The latest choice counts, also of a column that was chosen for before. */
export const choose = (
  fields: Choices['fields'],
  column: string,
  field: string,
): ReadonlyMap<string, string> =>
  new Map([...[...fields].filter(([name]) => name !== column), [column, field]]);

/** A field that is chosen for a column is taken from the one that had it. */
export function withChoices(
  proposed: ReadonlyMap<string, string>,
  fields: Choices['fields'],
): ReadonlyMap<string, string> {
  const chosen = new Map(proposed);
  for (const [column, field] of fields) {
    for (const [other, taken] of chosen) if (taken === field) chosen.delete(other);
    if (field === '') chosen.delete(column);
    else chosen.set(column, field);
  }
  return chosen;
}
