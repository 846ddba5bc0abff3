-- Reads histories of a bucket.

-- Returns a row for each given subject that has a history, by its ordinal. A version is the row's transaction and
-- place, which no two states of a row share. When the caller already has the version, the texts, mostly in TOAST, are
-- not read: 300 entries cost some 50 µs to unpack, join and send.
--
-- A function because Postgres expects ten rows of an array and planned the prepared statement anew for one or two keys:
-- 140 µs a call, 48 with this function. `force_generic_plan` for the whole connection would also fix the plans of
-- metrics and exports.
create or replace function find_histories(
  at_bucket integer, environments text[], subjects text[], showings boolean[], known_versions text[],
  of_lanes integer[]
) returns table (
  ordinal bigint, version text, is_known boolean, linked_user text, is_claimed boolean,
  entries text, impressions text, consumed text, handed json, reached json
) {{planned_once}} as $body$
#variable_conflict use_column
begin
  return query
  select ordinal, version, is_known, linked_user, linked_at is null,
    case when not is_known then concat_ws(E'\n', entries, older_entries) end,
    case when not is_known and with_impressions then concat_ws(E'\n', impressions, older_impressions) end,
    case when not is_known then consumed end,
    case when not is_known then (
      select json_agg(json_build_array(user_id, handovers.entries, handovers.impressions, handovers.consumed)
        order by number desc)
      from handovers
      where bucket = at_bucket and environment = found.of_environment and subject = found.of_subject) end,
    (select json_object_agg(lane, reached) from folded where bucket = at_bucket and lane = any(of_lanes))
  from (
    select lookup.ordinal, lookup.with_impressions, lookup.environment as of_environment,
      lookup.subject as of_subject, known.linked_user, known.linked_at,
      known.entries, known.older_entries, known.impressions, known.older_impressions, known.consumed,
      known.xmin::text || known.ctid::text as version,
      coalesce(known.xmin::text || known.ctid::text = lookup.known_version, false) as is_known
    from unnest(environments, subjects, showings, known_versions)
      with ordinality as lookup(environment, subject, with_impressions, known_version, ordinal)
    cross join lateral (
      select *, xmin, ctid from histories
      where bucket = at_bucket and histories.environment = lookup.environment
        and histories.subject = lookup.subject limit 1
    ) as known
  ) as found;
end
$body$;

-- Returns the users of given devices (`d:DEVICE`); a user who is only claimed is none.
create or replace function find_owners(at_bucket integer, environments text[], subjects text[])
returns table (environment text, subject text, linked_user text) {{planned_once}} as $body$
#variable_conflict use_column
begin
  return query
  select lookup.environment, lookup.subject, known.linked_user
  from unnest(environments, subjects) as lookup(environment, subject)
  cross join lateral (
    select * from histories
    where bucket = at_bucket and histories.environment = lookup.environment
      and histories.subject = lookup.subject limit 1
  ) as known
  where known.linked_at is not null and known.linked_user is not null;
end
$body$;
