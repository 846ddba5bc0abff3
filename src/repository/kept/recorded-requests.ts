/** A bounded sample of the latest recommendation requests, as they were sent. */

import { sql } from 'kysely';
import { type Database, query } from '../database.ts';

/** Kept per environment; older ones are deleted. */
export const mostRecordedRequests = 1_000;

export type RecordedRequest = {
  environment: string;
  /** The body of the request: a JSON value. */
  request: unknown;
};

const insertStatement = `
insert into recorded_requests (environment, request) select * from unnest($1::text[], $2::json[])`;

export async function insertRecordedRequests(db: Database, requests: RecordedRequest[]): Promise<void> {
  if (requests.length === 0) return;
  const values = [
    requests.map(({ environment }) => environment),
    requests.map(({ request }) => JSON.stringify(request)),
  ];
  await query(db, { name: 'insert-recorded-requests', text: insertStatement, values });
}

/** Newest first, at most `limit` bodies. */
export async function listRecordedRequests(
  db: Database,
  environment: string,
  limit: number,
): Promise<unknown[]> {
  const { rows } = await sql<{ request: unknown }>`
    select request from recorded_requests where environment = ${environment}
    order by sequence desc limit ${Math.min(limit, mostRecordedRequests)}`.execute(db.kysely);
  return rows.map(({ request }) => request);
}

/** Deletes what is beyond the number kept. */
export async function deleteOldRecordedRequests(db: Database, environment: string): Promise<void> {
  await sql`
    delete from recorded_requests where environment = ${environment} and sequence < (
      select min(sequence) from (
        select sequence from recorded_requests where environment = ${environment}
        order by sequence desc limit ${mostRecordedRequests}
      ) as kept
    )`.execute(db.kysely);
}
