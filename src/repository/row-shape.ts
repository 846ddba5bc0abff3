/**
 * What the columns of rows are, so that types and the database cannot drift apart: those of tables (schema.ts) are compared with
 * a migrated database by a test, those of each answer with what its reader declares, whenever it comes.
 *
 * A column is written as Postgres calls its type, with `?` when it may be null: `'int8'`, `'text?'`.
 */

import type pg from 'pg';
import { DomainError } from '../errors.ts';

/** By the driver's number of a type. */
const kinds = {
  16: 'bool',
  17: 'bytea',
  20: 'int8',
  21: 'int2',
  23: 'int4',
  25: 'text',
  114: 'json',
  700: 'float4',
  701: 'float8',
  1007: 'int4[]',
  1009: 'text[]',
  1016: 'int8[]',
  1184: 'timestamptz',
  1700: 'numeric',
  2950: 'uuid',
  3802: 'jsonb',
} as const;

export type Kind = (typeof kinds)[keyof typeof kinds];

/** What the driver makes of each; numbers of 8 bytes stay far below 2^53. */
export type ValueOf<K extends Kind> = K extends 'bool'
  ? boolean
  : K extends 'bytea'
    ? Buffer
    : K extends 'text' | 'uuid' | 'numeric'
      ? string
      : K extends 'text[]' | 'int8[]'
        ? string[]
        : K extends 'int4[]'
          ? number[]
          : K extends 'timestamptz'
            ? Date
            : K extends 'json' | 'jsonb'
              ? unknown
              : number;

/** The kinds that may stand for a type; whatever is read as an object is JSON. */
type KindFor<Value> = unknown extends Value
  ? 'json' | 'jsonb'
  : [Value] extends [boolean]
    ? 'bool'
    : [Value] extends [number]
      ? 'int2' | 'int4' | 'int8' | 'float4' | 'float8'
      : [Value] extends [string]
        ? 'text' | 'uuid'
        : [Value] extends [Date]
          ? 'timestamptz'
          : [Value] extends [Buffer]
            ? 'bytea'
            : [Value] extends [string[]]
              ? 'text[]' | 'int8[]'
              : [Value] extends [number[]]
                ? 'int4[]'
                : 'json' | 'jsonb';

/** The columns that a declared row must come with. Of JSON the shape inside is its writer's matter. */
export type Shape<Row> = {
  readonly [Name in keyof Row & string]-?: unknown extends Row[Name]
    ? 'json' | 'json?' | 'jsonb' | 'jsonb?'
    : null extends Row[Name]
      ? `${KindFor<NonNullable<Row[Name]>>}?`
      : undefined extends Row[Name]
        ? `${KindFor<NonNullable<Row[Name]>>}?`
        : KindFor<Row[Name]>;
};

/** An answer of other columns than its reader declares is a fault of ours: nobody gets such rows. Of nulls the first row is asked. */
export function assertShape(
  { fields, rows }: Pick<pg.QueryArrayResult | pg.QueryResult, 'fields' | 'rows'>,
  shape: Readonly<Record<string, string>>,
): void {
  const [first] = rows as Record<string, unknown>[];
  for (const { name, dataTypeID } of fields) {
    const declared = shape[name];
    const kind = kinds[dataTypeID as keyof typeof kinds];
    if (declared === kind && first?.[name] === null) throw mismatch(name, declared, 'null');
    if (declared !== kind && declared !== `${kind}?`) throw mismatch(name, declared, kind ?? dataTypeID);
  }
  if (fields.length !== Object.keys(shape).length)
    throw mismatch(Object.keys(shape).join(', '), 'columns', fields.length);
}

function mismatch(name: string, declared: string | undefined, found: string | number): DomainError {
  const message = 'The database answered with other columns than this program declares.';
  const cause = new TypeError(`${name} is declared as ${declared ?? 'nothing'} and came as ${found}.`);
  return new DomainError('INTERNAL', message, { cause });
}
