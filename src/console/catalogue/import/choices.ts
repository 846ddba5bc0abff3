/** The user's changes to the proposed mapping of an import. */

export type Choices = {
  itemType: string;
  /** Column to field, latest choice last; '' ignores the column. */
  fields: ReadonlyMap<string, string>;
  /** Whether a file of a known source is read with its ready mapping. */
  usesReady: boolean;
};

/** Adds a choice as the latest one. */
export const choose = (
  fields: Choices['fields'],
  column: string,
  field: string,
): ReadonlyMap<string, string> =>
  new Map([...[...fields].filter(([name]) => name !== column), [column, field]]);

/** Applies the choices to a proposed mapping; each field belongs to the latest column chosen for it. */
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
