/** Items by many keys at once, and those without pictures, for people who look through a catalogue. */

import { type Database, query } from '../database.ts';
import { itemColumns } from '../functions/store-items.ts';
import { type ItemRow, itemShape } from './items.ts';

type Name = { itemType: string; itemId: string };

const findStatement = `
select ${itemColumns} from items join unnest($2::text[], $3::text[]) with ordinality as wanted(wanted_type, wanted_id, place)
  on item_type = wanted_type and item_id = wanted_id
where environment = $1 order by place`;

/** In the order of the names; those that are unknown are left out. */
export async function findItems(
  db: Database,
  environment: string,
  names: readonly Name[],
): Promise<ItemRow[]> {
  const values = [environment, names.map(({ itemType }) => itemType), names.map(({ itemId }) => itemId)];
  return query(db, { name: 'find-items', text: findStatement, values }, itemShape);
}

const picturelessStatement = `
select item_type as "itemType", item_id as "itemId" from items
where environment = $1 and coalesce(document ->> 'images', '[]') = '[]'`;

export async function listItemsWithoutImages(db: Database, environment: string): Promise<Name[]> {
  return query<Name>(
    db,
    {
      name: 'list-items-without-images',
      text: picturelessStatement,
      values: [environment],
    },
    { itemType: 'text', itemId: 'text' },
  );
}
