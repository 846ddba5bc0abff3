-- Writes the queries that subjects of a bucket searched for.

-- A subject occurs at most once; subjects are sorted, so that two nodes cannot deadlock. A repeated query moves to the
-- front. In an update on conflict a cluster allows neither now() nor a parameter.
create or replace function add_typed_queries(
  at_bucket integer, environments text[], subjects text[], linked_users text[], query_lists json[]
) returns void {{planned_once}} as $body$
begin
  insert into typed_queries as known (bucket, environment, subject, linked_user, queries, updated_at)
  select at_bucket, environment, subject, linked_user, array(
    select query from json_array_elements_text(queries) with ordinality as given(query, place)
    order by place limit {{most_typed_queries}}), now()
  from unnest(environments, subjects, linked_users, query_lists)
    as input(environment, subject, linked_user, queries)
  order by environment collate "C", subject collate "C"
  on conflict (bucket, environment, subject) do update set
    updated_at = excluded.updated_at,
    linked_user = excluded.linked_user,
    queries = case when known.linked_user is distinct from excluded.linked_user then excluded.queries else array(
      select query from unnest(excluded.queries || known.queries) with ordinality as typed(query, place)
      group by query order by min(place) limit {{most_typed_queries}}) end;
end
$body$;
