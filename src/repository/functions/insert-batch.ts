/** Asks for a batch, unless too many of its environment wait or run. */

import { locks } from '../locks.ts';
import type { DatabaseFunction } from './database-function.ts';

/**
 * Answers whether the batch was taken. Those who ask for one environment take turns, so that each counts all before it. In one
 * call: the lock is never held while somebody may stop who would have to go on.
 */
export const insertBatchBelow: DatabaseFunction = {
  signature: 'insert_batch_below(integer, uuid, text, text, json)',
  isOfBucket: false,
  text: () => `
create or replace function insert_batch_below(
  most integer, of_batch uuid, of_environment text, in_state text, of_request json
) returns boolean language plpgsql set search_path from current as $body$
begin
  perform pg_advisory_xact_lock(${locks.batches}, hashtext(of_environment));
  insert into batches (batch_id, environment, state, request)
  select of_batch, of_environment, in_state, of_request
  where (select count(*) from batches
    where environment = of_environment and state in ('filling', 'queued', 'running')) < most;
  return found;
end
$body$`,
};
