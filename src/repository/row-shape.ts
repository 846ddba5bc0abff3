/**
 * Column types of rows. Tables (schema.ts) are compared with a migrated database by a test.
 * Statements written as text declare the shape of their rows, which each answer is compared with;
 * built statements take their types from the schema instead.
 *
 * A column is declared by Postgres' name of its type, with `?` when it may be null: `'int8'`,
 * `'text?'`.
 */

import type pg from 'pg';
import { DomainError } from '../errors.ts';

/** JavaScript's values of each type. Numbers of 8 bytes stay far below 2^53. */
type Values = {
  bool: boolean;
  bytea: Buffer;
  int8: number;
  int2: number;
  int4: number;
  text: string;
  json: unknown;
  float4: number;
  float8: number;
  'int4[]': number[];
  'text[]': string[];
  'int8[]': string[];
  timestamptz: Date;
  numeric: string;
  uuid: string;
  jsonb: unknown;
};

export type Kind = keyof Values;
export type ValueOf<K extends Kind> = Values[K];

/** Types by the object ID that the driver gives. */
const kinds: Readonly<Record<number, Kind>> = {
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
};

/** The types with values of type `Value`; objects are read from JSON. */
type KindFor<Value> = {
  [K in Kind]: unknown extends Values[K] ? never : [Value] extends [Values[K]] ? K : never;
}[Kind] extends infer Scalar extends Kind
  ? [Scalar] extends [never]
    ? 'json' | 'jsonb'
    : Scalar
  : never;

type ColumnFor<Value> = unknown extends Value
  ? 'json' | 'json?' | 'jsonb' | 'jsonb?'
  : null extends Value
    ? `${KindFor<NonNullable<Value>>}?`
    : undefined extends Value
      ? `${KindFor<NonNullable<Value>>}?`
      : KindFor<Value>;

/** The declared columns of a row type. Fields inside JSON are not checked. */
export type Shape<Row> = { readonly [Name in keyof Row & string]-?: ColumnFor<Row[Name]> };

/** @throws INTERNAL when an answer has other columns than declared. Only the first row is checked for nulls. */
export function assertShape(
  { fields, rows }: Pick<pg.QueryArrayResult | pg.QueryResult, 'fields' | 'rows'>,
  shape: Readonly<Record<string, string>>,
): void {
  const [first] = rows as Record<string, unknown>[];
  for (const { name, dataTypeID } of fields) {
    const declared = shape[name];
    const kind = kinds[dataTypeID];
    if (declared === kind && first?.[name] === null) throw mismatch(name, declared, 'null');
    if (declared !== kind && declared !== `${kind}?`) throw mismatch(name, declared, kind ?? dataTypeID);
  }
  if (fields.length !== Object.keys(shape).length)
    throw mismatch(Object.keys(shape).join(', '), 'columns', fields.length);
}

function mismatch(name: string, declared: string | undefined, found: string | number): DomainError {
  const message = 'The database returned columns that differ from the declared ones.';
  const cause = new TypeError(`Column ${name} is declared as ${declared ?? 'absent'} and was ${found}.`);
  return new DomainError('INTERNAL', message, { cause });
}
