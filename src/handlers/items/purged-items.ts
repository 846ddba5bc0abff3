/** Items that were deleted for ever: only their name and revision are stored. */

/** An expired item is shown nowhere. A later write of the item replaces the document as usual. */
export const purged = { expiration_datetime: '0001-01-01T00:00:00Z' };

export const purgedAtMs = Date.parse(purged.expiration_datetime);

export function isPurged({ document }: { document: unknown }): boolean {
  return JSON.stringify(document) === JSON.stringify(purged);
}
