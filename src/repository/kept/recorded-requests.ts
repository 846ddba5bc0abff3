/** A bounded sample of the latest recommendation requests, as they were sent, and of explored lists. */

import { sql } from 'kysely';
import { findBucket, forEachBucket } from '../buckets.ts';
import { type Database, execute } from '../database.ts';
import { columnsOf } from '../encode-values.ts';

/** Kept of an environment without and with explored lists; older ones are deleted. */
const mostRecordedRequests = 1_000;
const mostExploredRequests = 50_000;

export type RecordedRequest = {
  environment: string;
  /** The body of the request: a JSON value. */
  request: unknown;
  /** Its explored lists: a JSON value; absent without one. */
  explored?: unknown;
};

const insertStatement = `
insert into recorded_requests (bucket, environment, recorded_at, request_key, request, explored)
select $1, environment, clock_timestamp(), gen_random_uuid(), request, explored
from unnest($2::text[], $3::json[], $4::json[]) as input(environment, request, explored)`;

/** The requests of an environment are in one bucket. */
export async function insertRecordedRequests(db: Database, requests: RecordedRequest[]): Promise<void> {
  await forEachBucket(
    db,
    requests,
    ({ environment }) => [environment],
    (bucket, ofBucket) => {
      const values = [
        bucket,
        ...columnsOf(ofBucket, 'environment'),
        ofBucket.map(({ request }) => JSON.stringify(request)),
        ofBucket.map(({ explored }) => (explored === undefined ? null : JSON.stringify(explored))),
      ];
      return execute(db, 'insert-recorded-requests', insertStatement, values);
    },
  );
}

/** Lists at most `limit` bodies, the newest first. */
export async function listRecordedRequests(
  db: Database,
  environment: string,
  limit: number,
): Promise<unknown[]> {
  const bucket = await findBucket(db, environment);
  const rows = await db.kysely
    .selectFrom('recorded_requests')
    .select('request')
    .where('bucket', '=', bucket)
    .where('environment', '=', environment)
    .orderBy('recorded_at', 'desc')
    .orderBy('request_key', 'desc')
    .limit(Math.min(limit, mostRecordedRequests))
    .execute();
  return rows.map(({ request }) => request);
}

export type ExploredRequests = {
  environment: string;
  configurationId: string;
  from: Date;
  /** Exclusive. */
  to: Date;
  limit: number;
};

/** Lists a random sample of the requests with explored lists of a configuration. */
export async function listExploredRequests(
  db: Database,
  { environment, configurationId, from, to, limit }: ExploredRequests,
): Promise<{ request: unknown; explored: unknown }[]> {
  const bucket = await findBucket(db, environment);
  const lists = JSON.stringify({ lists: [{ configurationId }] });
  return db.kysely
    .selectFrom('recorded_requests')
    .select(['request', 'explored'])
    .where('bucket', '=', bucket)
    .where('environment', '=', environment)
    .where('recorded_at', '>=', from)
    .where('recorded_at', '<', to)
    .where(sql<boolean>`explored is not null and explored::jsonb @> ${lists}::jsonb`)
    .orderBy('request_key')
    .limit(limit)
    .execute();
}

/** Deletes requests beyond the numbers kept. */
export async function deleteOldRecordedRequests(db: Database, environment: string): Promise<void> {
  await deleteOlder(db, environment, 'is', mostRecordedRequests);
  await deleteOlder(db, environment, 'is not', mostExploredRequests);
}

/** @param explored Whether `explored` of the requests `is` or `is not` null. */
async function deleteOlder(
  db: Database,
  environment: string,
  explored: 'is' | 'is not',
  most: number,
): Promise<void> {
  const bucket = await findBucket(db, environment);
  const firstToDelete = db.kysely
    .selectFrom('recorded_requests')
    .select('recorded_at')
    .where('bucket', '=', bucket)
    .where('environment', '=', environment)
    .where('explored', explored, null)
    .orderBy('recorded_at', 'desc')
    .offset(most)
    .limit(1);
  await db.kysely
    .deleteFrom('recorded_requests')
    .where('bucket', '=', bucket)
    .where('environment', '=', environment)
    .where('explored', explored, null)
    .where('recorded_at', '<=', firstToDelete)
    .execute();
}
