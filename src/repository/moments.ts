/** Moments as numbers. Keys of pages have microseconds, which JavaScript's dates lack. */

import { sql } from 'kysely';

/** SQL for microseconds since 1970, of type int8. */
export const microsecondsOf = (column: string) =>
  sql`(extract(epoch from ${sql.ref(column)}) * 1000000)::int8`;

/** SQL for the moment so many microseconds after 1970. */
export const momentOf = (microseconds: number) =>
  sql<Date>`('epoch'::timestamptz + ${microseconds}::float8 * interval '1 microsecond')`;

/** SQL for milliseconds since 1970, with fractions. */
export const millisecondsOf = (column: string) =>
  sql<number>`(extract(epoch from ${sql.ref(column)}) * 1000)::float8`;
