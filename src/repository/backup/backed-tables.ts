/** The tables that a backup holds: all of ours, as the database itself lists them. */

import type pg from 'pg';

export type BackedTable = { name: string; columns: string[] };

type Client = Pick<pg.ClientBase, 'query'>;

/** What the migrations write about themselves. */
const ownTables = ['kysely_migration', 'kysely_migration_lock'];

/** Each after those that it refers to. */
export async function listBackedTables(client: Client): Promise<BackedTable[]> {
  const tables = await client.query<BackedTable>(
    `select relname as name, array_agg(attname::text order by attnum) as columns
     from pg_class join pg_attribute on attrelid = pg_class.oid
     where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and not relispartition
       and attnum > 0 and not attisdropped and attgenerated = '' and relname <> all($1)
     group by relname order by relname`,
    [ownTables],
  );
  const references = await client.query<{ table: string; target: string }>(
    `select source.relname as table, target.relname as target from pg_constraint
     join pg_class as source on source.oid = conrelid join pg_class as target on target.oid = confrelid
     where contype = 'f' and conrelid <> confrelid`,
  );
  return inOrder(tables.rows, references.rows);
}

function inOrder(tables: BackedTable[], references: { table: string; target: string }[]): BackedTable[] {
  const byName = new Map(tables.map((table) => [table.name, table]));
  const ordered = new Set<BackedTable>();
  const add = (table: BackedTable | undefined) => {
    if (table === undefined || ordered.has(table)) return;
    for (const { table: name, target } of references) if (name === table.name) add(byName.get(target));
    ordered.add(table);
  };
  for (const table of tables) add(table);
  return [...ordered];
}
