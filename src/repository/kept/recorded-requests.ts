/** A bounded sample of the latest recommendation requests, as they were sent. */

import { bucketCountOf, bucketOf, forEachBucket } from '../buckets.ts';
import { type Database, execute } from '../database.ts';

/** Kept of an environment; older ones are deleted. */
const mostRecordedRequests = 1_000;

export type RecordedRequest = {
  environment: string;
  /** The body of the request: a JSON value. */
  request: unknown;
};

/** The requests of an environment are in one bucket. */
async function bucketsOfRequests(db: Database): Promise<(request: { environment: string }) => number> {
  const bucketCount = await bucketCountOf(db);
  return ({ environment }) => bucketOf(bucketCount, environment);
}

const insertStatement = `
insert into recorded_requests (bucket, environment, recorded_at, request_key, request)
select $1, environment, clock_timestamp(), gen_random_uuid(), request
from unnest($2::text[], $3::json[]) as input(environment, request)`;

export async function insertRecordedRequests(db: Database, requests: RecordedRequest[]): Promise<void> {
  await forEachBucket(requests, await bucketsOfRequests(db), async (bucket, ofBucket) => {
    const values = [
      bucket,
      ofBucket.map(({ environment }) => environment),
      ofBucket.map(({ request }) => JSON.stringify(request)),
    ];
    await execute(db, 'insert-recorded-requests', insertStatement, values);
    return [];
  });
}

/** Lists at most `limit` bodies, the newest first. */
export async function listRecordedRequests(
  db: Database,
  environment: string,
  limit: number,
): Promise<unknown[]> {
  const bucket = (await bucketsOfRequests(db))({ environment });
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

/** Deletes requests beyond the number kept. */
export async function deleteOldRecordedRequests(db: Database, environment: string): Promise<void> {
  const bucket = (await bucketsOfRequests(db))({ environment });
  const kept = db.kysely
    .selectFrom('recorded_requests')
    .select('recorded_at')
    .where('bucket', '=', bucket)
    .where('environment', '=', environment)
    .orderBy('recorded_at', 'desc')
    .orderBy('request_key', 'desc')
    .limit(mostRecordedRequests);
  await db.kysely
    .deleteFrom('recorded_requests')
    .where('bucket', '=', bucket)
    .where('environment', '=', environment)
    .where('recorded_at', '<', (row) =>
      row.selectFrom(kept.as('kept')).select(({ fn }) => fn.min('recorded_at').as('oldest')),
    )
    .execute();
}
