/** Moments as numbers. Keys of pages have microseconds, which JavaScript's dates lack. */

import { type SelectQueryBuilder, sql } from 'kysely';

/** SQL for microseconds since 1970, of type int8. */
export const microsecondsOf = (column: string) =>
  sql`(extract(epoch from ${sql.ref(column)}) * 1000000)::int8`;

/** SQL for the moment so many microseconds after 1970. */
export const momentOf = (microseconds: number) =>
  sql<Date>`('epoch'::timestamptz + ${microseconds}::float8 * interval '1 microsecond')`;

/** SQL for milliseconds since 1970, with fractions. */
export const millisecondsOf = (column: string) =>
  sql<number>`(extract(epoch from ${sql.ref(column)}) * 1000)::float8`;

/** Key of a row in a listing: its time in microseconds since 1970, and its ID. */
export type PageKey = readonly [timeUs: number, id: string];

/** `time` and `id` are columns; `as` names the time in microseconds. The row of `after` need not exist any more. */
type Page<Name> = {
  time: string;
  id: string;
  as: Name;
  isOldestFirst?: boolean;
  after?: PageKey;
  limit: number;
};

/** Makes a query one of a page of its rows, the newest first. */
export const pageOf =
  <Name extends string>({ time, id, as, isOldestFirst = false, after, limit }: Page<Name>) =>
  <DB, Tables extends keyof DB, Row>(rows: SelectQueryBuilder<DB, Tables, Row>) => {
    const columns = sql`(${sql.ref(time)}, ${sql.ref(id)})`;
    const isBehind = sql.raw(isOldestFirst ? '>' : '<');
    const order = isOldestFirst ? 'asc' : 'desc';
    return rows
      .select(sql<number>`${microsecondsOf(time)}`.as(as))
      .$if(after !== undefined, (all) =>
        all.where(sql<boolean>`${columns} ${isBehind} (${momentOf(after![0])}, ${after![1]})`),
      )
      .orderBy(sql.ref(time), order)
      .orderBy(sql.ref(id), order)
      .limit(limit);
  };
