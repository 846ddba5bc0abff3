/** Searches every table of a database for a text. */

import type { Database } from '../../src/repository/database.ts';

export async function listTables({ pool }: Pick<Database, 'pool'>): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(`
    select format('%I.%I', nspname, relname) as name
    from pg_class join pg_namespace on pg_namespace.oid = relnamespace
    where relkind = 'r' and nspname not in ('pg_catalog', 'information_schema') and nspname not like 'pg_toast%'
    order by 1`);
  return rows.map(({ name }) => name);
}

/** Returns the tables with a row that contains any of the texts, even in bytes. */
export async function findTables(db: Pick<Database, 'pool'>, texts: readonly string[]): Promise<string[]> {
  const patterns = texts.flatMap((text) => [text, Buffer.from(text).toString('hex')]).map((it) => `%${it}%`);
  const found: string[] = [];
  for (const table of await listTables(db)) {
    const select = `select exists (select 1 from ${table} as scanned where scanned::text like any($1)) as "isThere"`;
    const { rows } = await db.pool.query<{ isThere: boolean }>(select, [patterns]);
    if (rows[0].isThere) found.push(table.replace(/^public\./, ''));
  }
  return found;
}

/** The text of every row, by table. */
export async function readTables(
  db: Pick<Database, 'pool'>,
  isWanted: (table: string) => boolean = () => true,
): Promise<Record<string, string[]>> {
  const content: Record<string, string[]> = {};
  for (const table of (await listTables(db)).filter(isWanted)) {
    const { rows } = await db.pool.query<{ row: string }>(
      `select scanned::text as row from ${table} as scanned order by 1`,
    );
    content[table] = rows.map(({ row }) => row);
  }
  return content;
}
