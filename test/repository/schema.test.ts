/** The schema in TypeScript equals that of the database. */

import test from 'ava';
import { query } from '../../src/repository/database.ts';
import { tables } from '../../src/repository/schema.ts';
import { createTestDatabase } from '../support/database.ts';

/** As schema.ts writes a column. */
const columnsText = `
select table_name::text as table, column_name::text as name,
  case when left(udt_name, 1) = '_' then substr(udt_name, 2) || '[]' else udt_name end
    || case when is_nullable = 'YES' then '?' else '' end
    || case when column_default is not null then '=' else '' end as declared
from information_schema.columns
where table_schema = current_schema() and table_name not like 'kysely\\_%'
order by table_name, ordinal_position`;

type DatabaseColumn = { table: string; name: string; declared: string };

test('the schema declares every column of a migrated database, by its name, kind, nullability and default', async (t) => {
  const db = await createTestDatabase(t);
  const rows = await query<DatabaseColumn>(db, '', columnsText, []);
  const columnsOf = (table: DatabaseColumn[]) =>
    Object.fromEntries(table.map(({ name, declared }) => [name, declared]));
  const found = Map.groupBy(rows, ({ table }) => table);
  t.deepEqual(
    Object.fromEntries(Array.from(found, ([table, columns]) => [table, columnsOf(columns)])),
    tables as Record<string, Record<string, string>>,
  );
});
