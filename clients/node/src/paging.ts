/** Pages of kept lists, as one sequence. */

/** A page, and how many items there are in all. */
export type Page<Item> = { items: Item[]; listSize: number };

export type PagingOptions = {
  /** Rank to begin at [1]. */
  from?: number;
  /** Items of a page, which are fetched together [50]. */
  pageSize?: number;
};

/** Items that were disabled since the list was made are left out, and their ranks with them; a page may thus be short or empty. */
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
