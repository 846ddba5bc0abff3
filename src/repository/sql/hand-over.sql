-- Moves the lines of a device to its user when the device gets, changes or loses its user.

{{define of_device}}
      bucket = at_bucket and environment = part.environment and subject = part.subject{{end}}

-- A part of a device's lines ends with an event that links the device to `next`, or signs it out (null). It belongs to
-- the user of the device until then, else to the next one, else to nobody. Of the first part of a statement the row
-- names the user, and its lines belong to the part; parts that are older than the row's link leave the row alone.
create or replace function leave_devices(at_bucket integer, leaving json) returns void
language plpgsql set search_path from current as $body$
declare
  part record;
  left_user text;
  freed_before bigint;
begin
  for part in
    select input.*, known.freed_at, known.subject is not null as is_known,
      case when is_first then case when known.linked_at is not null then known.linked_user end
        else owner end as owner_before,
      concat_ws(E'\n', input.entries, nullif(known.entries, ''), nullif(known.older_entries, '')) as all_entries,
      concat_ws(E'\n', input.impressions, nullif(known.impressions, ''), nullif(known.older_impressions, ''))
        as all_impressions,
      coalesce(known.consumed, '') as consumed
    from json_to_recordset(leaving) as input(
      environment text, subject text, at bigint, at_us bigint, is_first boolean, owner text, next text, entries text,
      impressions text, place integer)
    left join lateral (
      select * from histories
      where bucket = at_bucket and histories.environment = input.environment
        and histories.subject = input.subject limit 1
    ) as known on is_first and coalesce(known.linked_at, 0) <= at
    where not is_first or next is null or input.entries is not null or input.impressions is not null
      or known.entries <> '' or known.impressions <> '' or known.consumed <> ''
      or known.linked_at is not null and known.linked_user is distinct from next
    order by place
  loop
    left_user := case when part.owner_before is distinct from part.next then part.owner_before end;
    freed_before := part.freed_at;
    if not part.is_first then select freed_at into freed_before from histories where {{of_device}}; end if;
    if left_user is not null or part.next is not null then
      insert into handovers (
        bucket, number, environment, subject, user_id, since_at, until_at, entries, impressions, consumed)
      values (at_bucket, next_numbers(at_bucket, 'handovers', 0, 1), part.environment, part.subject,
        coalesce(part.owner_before, part.next), freed_before, case when left_user is not null then part.at_us end,
        part.all_entries, part.all_impressions, part.consumed);
    end if;
    if left_user is not null and not part.is_known then
      insert into histories (bucket, environment, subject, seen_day)
      values (at_bucket, part.environment, part.subject, floor(part.at / 86400000.0))
      on conflict (bucket, environment, subject) do nothing;
    end if;
    update histories set entries = '', older_entries = '', impressions = '', older_impressions = '', consumed = '',
      linked_at = case when part.next is null then part.at else linked_at end,
      linked_user = case when part.next is not null then linked_user end,
      freed_at = case when left_user is not null then part.at_us else freed_at end
    where {{of_device}} and coalesce(linked_at, 0) <= part.at;
    if part.next is null then delete from typed_queries where {{of_device}}; end if;
  end loop;
end
$body$;

-- Adds lines to the histories of users of a bucket, each row once: `numbers` are those of the bucket that the lines
-- come from, ascending. `additions` are histories as fold_histories takes them, one for each number.
create or replace function take_handovers(
  at_bucket integer, from_bucket integer, numbers bigint[], environments text[], subjects text[], additions text[],
  left_devices json[], consuming text[]
) returns void {{planned_once}} as $body$
begin
  perform next_numbers(at_bucket, 'folds', 0, 1);
  for place in 1..cardinality(numbers) loop
    insert into feeds as known (bucket, feed, lane, last)
    values (at_bucket, 'taken_handovers', from_bucket, numbers[place])
    on conflict (bucket, feed, lane) do update set last = excluded.last where known.last < excluded.last;
    continue when not found;
    perform fold_histories(at_bucket, additions[place], consuming);
    if left_devices[place] is null then continue; end if;
    update histories set past_devices = jsonb_path_query_array(
      jsonb_build_array(left_devices[place]) || coalesce(past_devices, '[]'), '$[0 to {{last_past_device}}]')
    where bucket = at_bucket and environment = environments[place] and subject = subjects[place];
  end loop;
end
$body$;
