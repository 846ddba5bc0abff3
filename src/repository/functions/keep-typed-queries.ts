/** Writes of what subjects of a bucket searched for. */

import { type DatabaseFunction, plannedOnce } from './database-function.ts';

/**
 * A subject comes once at most, and keeps so many queries; they are sorted, so that two nodes cannot wait for each other. A query that comes again
 * moves to the front. It is a function because a statement from outside may not call now() here on a cluster.
 */
export const addTypedQueries: DatabaseFunction = {
  signature: 'add_typed_queries(integer, text[], text[], text[], json[], integer)',
  isOfBucket: true,
  text: `
create or replace function add_typed_queries(
  at_bucket integer, environments text[], subjects text[], linked_users text[], query_lists json[],
  most integer
) returns void ${plannedOnce} as $body$
begin
  insert into typed_queries as known (bucket, environment, subject, linked_user, queries)
  select at_bucket, environment, subject, linked_user, array(select json_array_elements_text(queries))
  from unnest(environments, subjects, linked_users, query_lists)
    as input(environment, subject, linked_user, queries)
  order by environment collate "C", subject collate "C"
  on conflict (bucket, environment, subject) do update set
    updated_at = now(),
    linked_user = excluded.linked_user,
    queries = case when known.linked_user is distinct from excluded.linked_user then excluded.queries else array(
      select query from unnest(excluded.queries || known.queries) with ordinality as typed(query, place)
      group by query order by min(place) limit most) end;
end
$body$`,
};
