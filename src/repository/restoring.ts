/** Marks a database whose restore is not complete. */

import type pg from 'pg';
import { DomainError } from '../errors.ts';
import { queryOn } from './database.ts';

/** In `settings` while a restore is not complete. */
export const restoringSetting = 'restoring';

/** The caller holds the lock of migrations, so a restore that is not complete has failed. */
export async function assertRestored(client: pg.PoolClient, schema: string | null): Promise<void> {
  const text = `select to_regclass(quote_ident($1) || '.settings') is not null as "isMade"`;
  const [{ isMade }] = await queryOn<{ isMade: boolean }>(client, text, [schema]);
  if (!isMade) return;
  const { rowCount } = await client.query('select from settings where key = $1', [restoringSetting]);
  if (!rowCount) return;
  const message = 'A restore of this database failed; restore into a new one.';
  throw new DomainError('UNAVAILABLE', message);
}
