/** What may be written into a column and read from it, by the way in which schema.ts declares it. */

import type { ColumnType } from 'kysely';
import type { Kind, ValueOf } from './row-shape.ts';

/** JSON is written as text, so that it stays as it was sent. */
type Written<K extends Kind> = K extends 'json' | 'jsonb' ? string : ValueOf<K>;

/** A column of schema.ts as Kysely knows it. */
export type SchemaColumn<Declared extends string> = Declared extends `${infer K extends Kind}?`
  ? ColumnType<ValueOf<K> | null, Written<K> | null | undefined, Written<K> | null>
  : Declared extends `${infer K extends Kind}=`
    ? ColumnType<ValueOf<K>, Written<K> | undefined, Written<K>>
    : Declared extends Kind
      ? ColumnType<ValueOf<Declared>, Written<Declared>, Written<Declared>>
      : never;
