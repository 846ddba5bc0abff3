/** The tags of SQL files, and rows in one text as a single server and a cluster read them. */

import test from 'ava';
import { encodeValues } from '../../src/repository/encode-values.ts';
import { createFunctionsText } from '../../src/repository/functions.ts';
import { renderSql, rowsOf, splitValues } from '../../src/repository/sql-template.ts';
import { createTestDatabase } from '../support/database.ts';
import { fc } from '../support/properties.ts';

const render = (source: string, isCluster = false) =>
  renderSql(source, { values: { days: 7 }, lists: { names: ['a', 'b'] }, isCluster });

test('values, lists, macros and conditions are filled in, and whole-line comments are left out', (t) => {
  t.is(render(`-- A comment.\nselect '{{days}} days' -- kept`), `select '7 days' -- kept`);
  t.is(render('{{each names: sum($) as $}}'), 'sum(a) as a, sum(b) as b');
  t.is(render('{{define twice(x, y)}}$x $y $x{{end}}\n{{twice {{days}} | b}}'), '7 b 7');
  t.is(render('{{if cluster}}one{{else}}other{{end}}', true), 'one');
  t.is(render('{{if cluster}}one{{else}}other{{end}}'), 'other');
  t.is(render('{{columns row: id int, name text}}{{names row}}, {{row_count row}}').slice(0, 8), 'id, name');
});

for (const source of ['{{year}}', '{{rows other}}', '{{days']) {
  test(`an unknown tag is an error: ${source}`, (t) => {
    t.throws(() => render(source), { message: /^Unknown / });
  });
}

const types = { ordinal: 'int', name: 'text', at: 'timestamptz', robot: 'boolean', numbers: 'float8[]' };
const columns = Object.entries(types).map(([name, type]) => ({ name, type }));

const optional = <Value>(values: fc.Arbitrary<Value>) => fc.option(values, { nil: undefined });

const row = fc.record({
  ordinal: fc.integer({ min: -1_000, max: 1_000 }),
  name: optional(fc.string({ unit: 'grapheme' })),
  at: optional(fc.constantFrom('2026-05-01T12:00:00.123Z', 'infinity')),
  robot: fc.boolean(),
  numbers: optional(fc.array(fc.integer())),
});

const selectRows = (isCluster: boolean) => `
  select input.* from (select ${splitValues('$1::text')} as input_values) as given
  cross join lateral ${rowsOf('input_values', columns, isCluster)} as input order by row_place`;

test('a cluster reads the rows that a single server reads', async (t) => {
  const db = await createTestDatabase(t);
  await fc.assert(
    fc.asyncProperty(fc.array(row, { maxLength: 20 }), async (given) => {
      const values = [encodeValues(given, Object.keys(types) as (keyof typeof types)[])];
      const single = await db.pool.query(selectRows(false), values);
      const dealt = await db.pool.query(selectRows(true), values);
      t.is(single.rowCount, given.length);
      t.deepEqual(dealt.rows, single.rows);
    }),
  );
});

test('no function of a cluster looks for values by their places', (t) => {
  t.regex(createFunctionsText(false), /_values\[/);
  t.notRegex(createFunctionsText(true), /_values\[/);
});
