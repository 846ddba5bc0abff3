/** Rows that go to the database as one text, as a single server reads them and as a cluster does. */

import test from 'ava';
import { encodeValues } from '../../../src/repository/encode-values.ts';
import { makeFunctionsText } from '../../../src/repository/functions/functions.ts';
import { declareRows, rowsOf } from '../../../src/repository/functions/rows.ts';
import { createTestDatabase } from '../../support/database.ts';
import { fc } from '../../support/properties.ts';

const types = { ordinal: 'int', name: 'text', at: 'timestamptz', robot: 'boolean', numbers: 'float8[]' };

const optional = <Value>(values: fc.Arbitrary<Value>) => fc.option(values, { nil: undefined });

const row = fc.record({
  ordinal: fc.integer({ min: -1_000, max: 1_000 }),
  name: optional(fc.string({ unit: 'grapheme' })),
  at: optional(fc.constantFrom('2026-05-01T12:00:00.123Z', 'infinity')),
  robot: fc.boolean(),
  numbers: optional(fc.array(fc.integer())),
});

/** The declared values as a table of one row, of which the expression reads its own. */
const [, declared] = /:= (.*);/.exec(declareRows('input', '$1::text'))!;
const read = (rows: string) => `
  select input.* from (select ${declared} as input_values) as given cross join lateral ${rows} as input
  order by row_place`;

test('a cluster reads the rows that a single server reads', async (t) => {
  const db = await createTestDatabase(t);
  await fc.assert(
    fc.asyncProperty(fc.array(row, { maxLength: 20 }), async (given) => {
      const values = [encodeValues(given, Object.keys(types) as (keyof typeof types)[])];
      const [single, dealt] = [
        await db.pool.query(read(rowsOf('input', types, false)), values),
        await db.pool.query(read(rowsOf('input', types, true)), values),
      ];
      t.is(single.rowCount, given.length);
      t.deepEqual(dealt.rows, single.rows);
    }),
  );
});

test('no function of a cluster looks for values by their places', (t) => {
  t.regex(makeFunctionsText(false), /_values\[/);
  t.notRegex(makeFunctionsText(true), /_values\[/);
});
