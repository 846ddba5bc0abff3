-- Inserts a batch, unless too many of its environment wait or run.

-- Returns whether the batch was inserted. Calls for one environment take turns, so that each counts all before it. The
-- lock is held within this one call: no client can stop while it holds it.
create or replace function insert_batch_below(
  most integer, of_batch uuid, of_environment text, in_state text, of_request json
) returns boolean language plpgsql set search_path from current as $body$
begin
  perform pg_advisory_xact_lock({{batches_lock}}, hashtext(of_environment));
  insert into batches (batch_id, environment, state, request)
  select of_batch, of_environment, in_state, of_request
  where (select count(*) from batches
    where environment = of_environment and state in ('filling', 'queued', 'running')) < most;
  return found;
end
$body$;
