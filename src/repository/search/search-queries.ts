/**
 * How often each query is searched and finds nothing, the most telling ten thousand of an environment. Where a
 * deployment completes by popular queries, marks of some who asked are kept with it.
 */

import { sql } from 'kysely';
import { type Database, execute, isAway, queryRaw } from '../database.ts';
import type { Shape } from '../row-shape.ts';
import { visitorBytes, witnessBytes } from './visitor-mark.ts';

/** Kept per environment; those searched rarely and long ago are forgotten. */
export const mostQueries = 10_000;

/** Days after which a search weighs half in what is kept. */
const halfLifeDays = 14;

/** Different people of a query that are told apart; more are many. */
export const mostWitnesses = 64;

export type QueryCount = {
  environment: string;
  /** Folded. */
  query: string;
  fingerprint: number;
  searches: number;
  withoutResults: number;
  /** Marks of people who asked (visitor-mark.ts), side by side [none]. */
  witnesses?: Buffer;
};

export type StoredQueryCount = Pick<QueryCount, 'query' | 'searches' | 'withoutResults'> & {
  firstSearchedAt: Date;
  lastSearchedAt: Date;
};

const countShape: Shape<StoredQueryCount> = {
  query: 'text',
  searches: 'int4',
  withoutResults: 'int4',
  firstSearchedAt: 'timestamptz',
  lastSearchedAt: 'timestamptz',
};

/**
 * Witnesses of both sides: each visitor once, and of each network the first one. Without a network a visitor stands for itself.
 */
const joinedWitnesses = `
  select string_agg(witness, '' order by place) from (select * from (
    select distinct on (substring(witness for ${visitorBytes})) witness, place from (
      select distinct on (case when network = '\\x0000' then witness else network end) witness, place from (
        select substring(marks from place for ${witnessBytes}) as witness, place,
          substring(marks from place + ${visitorBytes} for ${witnessBytes - visitorBytes}) as network
        from (select known.witnesses || excluded.witnesses as marks) as joined,
          generate_series(1, length(marks), ${witnessBytes}) as place
      ) as witnesses order by case when network = '\\x0000' then witness else network end, place
    ) as of_networks order by substring(witness for ${visitorBytes}), place
  ) as distinct_witnesses order by place limit ${mostWitnesses}) as first_witnesses`;

const isFull = `length(known.witnesses) >= ${mostWitnesses * witnessBytes}`;

/** Sorted by key, so that two nodes cannot wait for each other. */
const addStatement = `
insert into search_queries as known (environment, query, fingerprint, searches, without_results, weight, witnesses)
select environment, query, fingerprint, searches, without_results, searches, witnesses
from unnest($1::text[], $2::text[], $3::bigint[], $4::int[], $5::int[], $6::bytea[])
  as input(environment, query, fingerprint, searches, without_results, witnesses)
order by environment collate "C", query collate "C"
on conflict (environment, query) do update set
  searches = least(known.searches::bigint + excluded.searches, 2147483647),
  without_results = least(known.without_results::bigint + excluded.without_results, 2147483647),
  weight = excluded.weight
    + known.weight * power(2, -extract(epoch from now() - known.last_searched_at) / (86400.0 * ${halfLifeDays})),
  last_searched_at = now(),
  witnesses = case when excluded.witnesses = '' or ${isFull} then known.witnesses else (${joinedWitnesses}) end`;

const queriesPerStatement = 500;

/**
 * Adds to what is counted; a query comes once at most. A part that the database refuses is left out, and the first failure is
 * thrown at the end; the rest is left out while the database is away.
 */
export async function addQueryCounts(db: Database, counts: readonly QueryCount[]): Promise<void> {
  const failures: unknown[] = [];
  for (let start = 0; start < counts.length; start += queriesPerStatement) {
    const part = counts.slice(start, start + queriesPerStatement);
    await addPart(db, part).catch((error) => {
      if (isAway(error)) throw error;
      failures.push(error);
    });
  }
  if (failures.length > 0) throw failures[0];
}

async function addPart(db: Database, counts: readonly QueryCount[]): Promise<void> {
  const values = [
    counts.map((count) => count.environment),
    counts.map((count) => count.query),
    counts.map((count) => count.fingerprint),
    counts.map((count) => count.searches),
    counts.map((count) => count.withoutResults),
    counts.map((count) => count.witnesses ?? Buffer.alloc(0)),
  ];
  await execute(db, { name: 'add-query-counts', text: addStatement, values });
}

/** Forgets what is beyond the number kept. */
export async function deleteRareQueries(db: Database, environment: string): Promise<void> {
  await sql`
    delete from search_queries where environment = ${environment} and query in (
      select query from search_queries where environment = ${environment}
      order by weight * power(2, -extract(epoch from now() - last_searched_at) / (86400.0 * ${sql.lit(halfLifeDays)})) desc, query
      offset ${mostQueries}
    )`.execute(db.kysely);
}

/** Place of a query in the list: how often, when last in Unix milliseconds, and the query. */
export type QueryKey = readonly [count: number, lastSearchedAtMs: number, query: string];

export type QueryListing = { environment: string; withoutResults: boolean; limit: number; after?: QueryKey };

export function queryKeyOf(count: StoredQueryCount, withoutResults: boolean): QueryKey {
  const often = withoutResults ? count.withoutResults : count.searches;
  return [often, count.lastSearchedAt.getTime(), count.query];
}

/** The most frequent first; of equal ones the last searched. Those after a key. */
export async function listQueryCounts(
  db: Database,
  { environment, withoutResults, limit, after }: QueryListing,
): Promise<StoredQueryCount[]> {
  const often = withoutResults ? sql`without_results` : sql`searches`;
  const place = sql`(-${often}, -floor(extract(epoch from last_searched_at) * 1000), query collate "C")`;
  const isAfter = after ? sql`and ${place} > (${-after[0]}, ${-after[1]}, ${after[2]})` : sql``;
  const statement = sql`
    select query, searches, without_results as "withoutResults", first_searched_at as "firstSearchedAt",
      last_searched_at as "lastSearchedAt"
    from search_queries
    where environment = ${environment} ${withoutResults ? sql`and without_results > 0` : sql``} ${isAfter}
    order by ${place} limit ${limit}`;
  return queryRaw(db, statement, countShape);
}

/** Lists the queries that enough witnesses asked and mostly found something for, the weightiest first. */
export async function listPopularQueries(
  db: Database,
  environment: string,
  { leastPeople, limit }: { leastPeople: number; limit: number },
): Promise<string[]> {
  const statement = sql`
    select query from search_queries
    where environment = ${environment} and length(witnesses) >= ${leastPeople * witnessBytes}::int
      and without_results * 2 < searches
    order by weight * power(2, -extract(epoch from now() - last_searched_at) / (86400.0 * ${sql.lit(halfLifeDays)})) desc, query
    limit ${limit}`;
  const rows = await queryRaw<{ query: string }>(db, statement, { query: 'text' });
  return rows.map(({ query }) => query);
}
