/** The schema in TypeScript equals that of the database, and answers are checked against their declarations. */

import { globSync, readFileSync } from 'node:fs';
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
  const statement = { name: '', text: columnsText, values: [] };
  const shape = { table: 'text', name: 'text', declared: 'text' } as const;
  const rows = await query<DatabaseColumn>(db, statement, shape);
  const columnsOf = (table: DatabaseColumn[]) =>
    Object.fromEntries(table.map(({ name, declared }) => [name, declared]));
  const found = Map.groupBy(rows, ({ table }) => table);
  t.deepEqual(
    Object.fromEntries(Array.from(found, ([table, columns]) => [table, columnsOf(columns)])),
    tables as Record<string, Record<string, string>>,
  );
});

const answers = [
  { title: 'a column of another kind', text: `select '1' as count` },
  { title: 'a column of another name', text: 'select 1::int8 as number' },
  { title: 'an undeclared column', text: 'select 1::int8 as count, 2 as more' },
  { title: 'a column too few', text: 'select' },
  { title: 'a null where none may be', text: 'select null::int8 as count' },
];

for (const { title, text } of answers) {
  test(`rows with ${title} are refused`, async (t) => {
    const db = await createTestDatabase(t);
    const asked = query<{ count: number }>(db, { name: '', text, values: [] }, { count: 'int8' });
    t.like(await t.throwsAsync(asked), { reason: 'INTERNAL' });
  });
}

test('nulls are read where they are declared, and an empty result matches any declaration', async (t) => {
  const db = await createTestDatabase(t);
  const ask = (text: string) =>
    query<{ count: number | null }>(db, { name: '', text, values: [] }, { count: 'int8?' });
  t.deepEqual(await ask('select null::int8 as count'), [{ count: null }]);
  t.deepEqual(await ask('select 1::int8 as count where false'), []);
});

test('no statement of the repository types its rows without a check', (t) => {
  const room = new URL('../../src/repository/', import.meta.url).pathname;
  const files = globSync('**/*.ts', { cwd: room }).filter((file) => !file.startsWith('migrations/'));
  const unchecked = files.filter((file) => {
    const text = readFileSync(room + file, 'utf8');
    /** An expression within a built statement may name its type; a statement may not. */
    return /\bsql<(?!boolean>|Date>)|(?:client|pool)\.query<|\.query\([^;]*\)\)\.rows as /.test(text);
  });
  t.deepEqual(unchecked, []);
});
