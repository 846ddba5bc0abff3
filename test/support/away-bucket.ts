/** A database with an unavailable bucket, as after the loss of a cluster's worker. */

import type pg from 'pg';
import type { Database } from '../../src/repository/database.ts';
import { poolOf } from './pool-of.ts';

export function withoutBucket<Db extends Database>(db: Db, away: number): Db {
  const refusal = Object.assign(new Error('A worker is not there.'), { code: '08006' });
  const pool = poolOf(async (statement: pg.QueryConfig<unknown[]>) => {
    if (statement.values?.[0] === away) throw refusal;
    return db.pool.query(statement);
  });
  return { ...db, pool };
}
