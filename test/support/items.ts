/** Items of tests, without a service. */

import type { Database } from '../../src/repository/database.ts';
import { type ItemRow, type ItemWrite, upsertItems } from '../../src/repository/items/items.ts';

export async function upsertItem(db: Database, item: ItemWrite): Promise<ItemRow> {
  const [row] = await upsertItems(db, [item]);
  return row;
}
