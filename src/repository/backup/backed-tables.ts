/** The tables of a backup: all tables of this program, with their columns in the database. */

import type pg from 'pg';
import { queryOn } from '../database.ts';
import { findSchema } from '../migrations.ts';
import { tables as ownTables } from '../schema.ts';

export type BackedTable = { name: string; columns: string[] };

type Reference = { table: string; target: string };

type Client = Pick<pg.ClientBase, 'query'>;

/** Lists the tables, each after those that it references. Other tables in the schema are ignored. */
export async function listBackedTables(client: Client): Promise<BackedTable[]> {
  const tablesText = `
    select relname::text as name, array_agg(attname::text order by attnum) as columns
     from pg_class join pg_attribute on attrelid = pg_class.oid
     where relname = any($1) and relnamespace = (select oid from pg_namespace where nspname = $2)
       and attnum > 0 and not attisdropped and attgenerated = ''
     group by relname order by relname`;
  const referencesText = `
    select source.relname::text as table, target.relname::text as target from pg_constraint
     join pg_class as source on source.oid = conrelid join pg_class as target on target.oid = confrelid
     where contype = 'f' and conrelid <> confrelid`;
  const tables = await queryOn<BackedTable>(client, tablesText, [
    Object.keys(ownTables),
    await findSchema(client),
  ]);
  const references = await queryOn<Reference>(client, referencesText);
  return inOrder(tables, references);
}

function inOrder(tables: BackedTable[], references: Reference[]): BackedTable[] {
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
