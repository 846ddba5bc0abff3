/** Reads stored lists page by page. */

/** A page with the total number of items. */
export type Page<Item> = { items: Item[]; listSize: number };

export type PagingOptions = {
  /** First rank [1]. */
  from?: number;
  /** Items per request [50]. */
  pageSize?: number;
};

/** Items disabled since the list was stored are left out with their ranks, so a page may be short or empty. */
export async function* paged<Item>(
  readPage: (offset: number, limit: number) => Promise<Page<Item>>,
  { from = 1, pageSize = 50 }: PagingOptions = {},
): AsyncGenerator<Item, void, undefined> {
  for (let offset = from; ; offset += pageSize) {
    const { items, listSize } = await readPage(offset, pageSize);
    yield* items;
    if (offset + pageSize > listSize) return;
  }
}
