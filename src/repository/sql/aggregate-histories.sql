-- Adds events to the histories of a bucket's users and devices.

-- Keeps the newest of some lines by their own time, up to 24,000 characters (300 usual lines take 15,000), so that old
-- events that arrive late push nothing out. Whole lines only.
create or replace function newest_lines(lines text) returns text language sql immutable as $body$
  select string_agg(line, E'\n' order by place) from (
    select line, place, sum(length(line) + 1) over (order by place) as characters from (
      select line, row_number() over (order by split_part(line, E'\t', 1)::bigint desc, arrival) as place
      from string_to_table(lines, E'\n') with ordinality as given(line, arrival)
    ) as ranked
  ) as measured
  where characters <= 24000
$body$;

-- Merges known lines with those of the given kinds (`EVENT_TYPE TAB ITEM_TYPE`): each event type and item once with its
-- newest time, newest first, up to 100,000 characters (2,000 usual lines). Known lines stay, whatever the kinds are now.
create or replace function consumed_lines(known text, lines text, kinds text[]) returns text
language sql immutable as $body$
  select coalesce(string_agg(line, E'\n' order by place), '') from (
    select line, place, sum(length(line) + 1) over (order by place) as characters from (
      select line, row_number() over (order by seconds desc, what) as place from (
        select distinct on (what) line, what, seconds from (
          select line, substr(line, strpos(line, E'\t') + 1) as what,
            split_part(line, E'\t', 1)::bigint as seconds
          from (
            select line from string_to_table(lines, E'\n') as line
            where split_part(line, E'\t', 2) || E'\t' || split_part(line, E'\t', 3) = any(kinds)
            union all
            select line from string_to_table(known, E'\n') as line where line <> ''
          ) as given
        ) as read order by what, seconds desc
      ) as newest
    ) as ranked
  ) as measured
  where characters <= 100000
$body$;

-- In the order in which events/aggregate-events.ts writes them.
{{columns history: environment text, subject text, linked_at bigint, linked_user text, entries text, impressions text,
  consumed text}}

-- Joins two texts that are not null. Operators only, since a cluster allows no other functions here.
{{define joined(first, second)}}case when $first = '' then $second
          when $second = '' then $first else $first || E'\n' || $second end{{end}}

-- Whether an addition moves a column's lines to the older ones: about twenty lines, 1,000 bytes.
{{define is_full(column)}}(excluded.$column <> '' and octet_length(known.$column) >= 1000){{end}}

-- Whether the older lines are then cut: at 30,000 characters, so that they are rarely sorted.
{{define is_cut(column)}}({{is_full $column}}
          and length(known.$column) + length(known.older_$column) >= 30000){{end}}

{{define older(column)}}{{joined known.$column | known.older_$column}}{{end}}

-- Puts an addition's lines before a column's and its older part's; both may be empty.
{{define append(column)}}
      $column = case when {{is_full $column}} then excluded.$column else {{joined excluded.$column | known.$column}} end,
      older_$column = case when not {{is_full $column}} then known.older_$column
        when {{is_cut $column}} then newest_lines({{older $column}}) else {{older $column}} end{{end}}

{{define lines_of(column)}}E'\n' || known.$column || E'\n' || known.older_$column{{end}}

-- Of two links the later arrival wins. A claimed link (without a time) comes from an untrusted caller: it replaces no
-- other link, and every other link replaces it.
{{define is_newer_link}}coalesce(excluded.linked_at >= coalesce(known.linked_at, 0), false){{end}}

-- A device that signed out has the time of it and no user.
{{define is_new_claim}}(excluded.linked_at is null and excluded.linked_user is not null and known.linked_user is null){{end}}

-- Days since 1970.
{{define today}}floor(extract(epoch from now()) / 86400){{end}}

-- A device is skipped when its link stays, it was seen today and the addition has no lines. Cut lines, and what a batch
-- had no room for, are searched for consumed items; impressions are cut often and seldom consume.
{{define upsert(bucket, values)}}
  insert into histories as known (
    bucket, environment, subject, seen_day, linked_at, linked_user, entries, impressions, consumed)
  select $bucket, environment, subject, {{today}}, linked_at, linked_user,
    coalesce(entries, ''), coalesce(impressions, ''), coalesce(consumed, '')
  from {{rows history from $values}} as input
  where (input.entries is not null or input.impressions is not null) or (
    select case when input.linked_at is null then known.linked_user is not null
      else known.linked_at is not null and known.linked_user = input.linked_user end
      and known.seen_day >= {{today}} from histories as known
    where known.bucket = $bucket and known.environment = input.environment
      and known.subject = input.subject) is not true
  on conflict (bucket, environment, subject) do update set
    seen_day = excluded.seen_day,
    linked_at = case when {{is_newer_link}} or {{is_new_claim}} then excluded.linked_at else known.linked_at end,
    linked_user = case when {{is_newer_link}} or {{is_new_claim}} then excluded.linked_user
      else known.linked_user end,
    {{append entries}},
    {{append impressions}},
      consumed = case
        when {{is_cut entries}} or (showings_consume and {{is_cut impressions}}) or excluded.consumed <> ''
        then consumed_lines(known.consumed || E'\n' || excluded.consumed, {{lines_of entries}}
          || case when showings_consume then {{lines_of impressions}} else '' end, consuming)
        else known.consumed end{{end}}

-- A cluster allows no variables in what an upsert assigns: there they are written into the text of the statement.
create or replace function fold_histories(at_bucket integer, new_histories text, consuming text[])
returns void language plpgsql set search_path from current as $body$
declare
  showings_consume boolean := array_to_string(consuming, ' ') like '%impression' || E'\t' || '%';
  history_values text[] := {{split new_histories}};
begin
  {{if cluster}}execute replace(replace($upsert${{upsert $1 | $2}}$upsert$, 'showings_consume', showings_consume::text),
    'consuming', quote_literal(consuming::text) || '::text[]') using at_bucket, history_values{{else}}{{upsert at_bucket | history_values}}{{end}};
end
$body$;
