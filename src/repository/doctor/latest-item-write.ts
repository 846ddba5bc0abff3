import { sql } from 'kysely';
import { listBuckets } from '../buckets.ts';
import type { Database } from '../database.ts';
import { runTimedQuery } from './timed-query.ts';

/** Returns the time of the environment's last item write; empty if it has no items. */
export async function listLatestItemWrite(
  db: Database,
  environment: string,
  timeoutMs: number,
): Promise<{ updatedAt: Date }[] | undefined> {
  const buckets = await listBuckets(db);
  const writes: { updatedAt: Date }[] = [];
  for (const bucket of buckets) {
    const rows = await runTimedQuery<{ updatedAt: Date }>(
      db,
      timeoutMs,
      sql`select updated_at as "updatedAt" from items where bucket = ${bucket} and environment = ${environment}
        order by number desc limit 1`,
    );
    if (rows === undefined) return undefined;
    writes.push(...rows);
  }
  return writes.sort((a, b) => b.updatedAt.getTime() - a.updatedAt.getTime()).slice(0, 1);
}
