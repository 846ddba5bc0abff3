/**
 * Counts of searches by query, with those that found nothing: the ten thousand weightiest queries
 * of an environment. Where popular queries complete others, marks of some visitors are stored, too.
 */

import { sql } from 'kysely';
import { type Database, execute } from '../database.ts';
import { columnsOf } from '../encode-values.ts';
import { isAway } from '../failures.ts';
import { visitorBytes, witnessBytes } from './visitor-mark.ts';

/** Kept of an environment; queries that are rare or old are deleted. */
export const mostQueries = 10_000;

/** Days after which the weight of a search is halved. */
const halfLifeDays = 14;

/** Most witnesses stored of a query. */
export const mostWitnesses = 64;

export type QueryCount = {
  environment: string;
  /** Folded. */
  query: string;
  /** As it was typed last, at most 100 characters. */
  typed?: string;
  fingerprint: number;
  searches: number;
  withoutResults: number;
  /** Marks of witnesses (visitor-mark.ts), side by side [none]. */
  witnesses?: Buffer;
};

export type StoredQueryCount = Pick<QueryCount, 'query' | 'searches' | 'withoutResults'> & {
  /** Absent unless it was searched since queries are stored as typed. */
  typed: string | null;
  firstSearchedAt: Date;
  lastSearchedAt: Date;
};

/** Merges witnesses: each visitor once, and one for each network; all those without one. */
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

/** Sorted by key to prevent deadlocks between nodes. */
const addStatement = `
insert into search_queries as known (environment, query, fingerprint, searches, without_results, weight, witnesses, typed)
select environment, query, fingerprint, searches, without_results, searches, witnesses, typed
from unnest($1::text[], $2::text[], $3::bigint[], $4::int[], $5::int[], $6::bytea[], $7::text[])
  as input(environment, query, fingerprint, searches, without_results, witnesses, typed)
order by environment collate "C", query collate "C"
on conflict (environment, query) do update set
  searches = least(known.searches::bigint + excluded.searches, 2147483647),
  without_results = least(known.without_results::bigint + excluded.without_results, 2147483647),
  weight = excluded.weight
    + known.weight * power(2, -extract(epoch from now() - known.last_searched_at) / (86400.0 * ${halfLifeDays})),
  last_searched_at = now(),
  typed = coalesce(excluded.typed, known.typed),
  witnesses = case when excluded.witnesses = '' or ${isFull} then known.witnesses else (${joinedWitnesses}) end`;

const queriesPerStatement = 500;

/**
 * Adds counts; a query may occur once. A part that the database refuses is skipped, and its error
 * is thrown at the end; when the database is away, the rest is skipped, too.
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
    ...columnsOf(counts, 'environment', 'query', 'fingerprint', 'searches', 'withoutResults'),
    counts.map((count) => count.witnesses ?? Buffer.alloc(0)),
    ...columnsOf(counts, 'typed'),
  ];
  await execute(db, 'add-query-counts', addStatement, values);
}

/** A query's weight today. */
const weight = sql`weight * power(2, -extract(epoch from now() - last_searched_at) / (86400.0 * ${sql.lit(halfLifeDays)}))`;

/** Deletes queries beyond the number kept. */
export async function deleteRareQueries({ kysely }: Database, environment: string): Promise<void> {
  const ofEnvironment = kysely.selectFrom('search_queries').where('environment', '=', environment);
  const rare = ofEnvironment.select('query').orderBy(weight, 'desc').orderBy('query').offset(mostQueries);
  await kysely
    .deleteFrom('search_queries')
    .where('environment', '=', environment)
    .where('query', 'in', rare)
    .execute();
}

/** The key of a query in listings: its count, its last search in Unix milliseconds, and its text. */
export type QueryKey = readonly [count: number, lastSearchedAtMs: number, query: string];

type QueryListing = { environment: string; withoutResults: boolean; limit: number; after?: QueryKey };

export function queryKeyOf(count: StoredQueryCount, withoutResults: boolean): QueryKey {
  const often = withoutResults ? count.withoutResults : count.searches;
  return [often, count.lastSearchedAt.getTime(), count.query];
}

/** Lists queries after a key, the most frequent first, then the last searched. */
export function listQueryCounts(
  { kysely }: Database,
  { environment, withoutResults, limit, after }: QueryListing,
): Promise<StoredQueryCount[]> {
  const often = withoutResults ? sql`without_results` : sql`searches`;
  const place = sql`(-${often}, -floor(extract(epoch from last_searched_at) * 1000), query collate "C")`;
  const isAfter = after && sql<boolean>`${place} > (${-after[0]}, ${-after[1]}, ${after[2]})`;
  return kysely
    .selectFrom('search_queries')
    .select(['query', 'typed', 'searches', 'without_results as withoutResults'])
    .select(['first_searched_at as firstSearchedAt', 'last_searched_at as lastSearchedAt'])
    .where('environment', '=', environment)
    .$if(withoutResults, (queries) => queries.where('without_results', '>', 0))
    .$if(isAfter !== undefined, (queries) => queries.where(isAfter!))
    .orderBy(place)
    .limit(limit)
    .execute();
}

/** Lists queries with enough witnesses and mostly with results, the weightiest first. */
export async function listPopularQueries(
  { kysely }: Database,
  environment: string,
  { leastPeople, limit }: { leastPeople: number; limit: number },
): Promise<string[]> {
  const rows = await kysely
    .selectFrom('search_queries')
    .select('query')
    .where('environment', '=', environment)
    .where(sql<boolean>`length(witnesses) >= ${leastPeople * witnessBytes}::int`)
    .where(sql<boolean>`without_results * 2 < searches`)
    .orderBy(weight, 'desc')
    .orderBy('query')
    .limit(limit)
    .execute();
  return rows.map(({ query }) => query);
}
