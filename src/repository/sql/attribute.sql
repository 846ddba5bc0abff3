-- Attributes purchases to clicks, both of a bucket's items (a group stands for its variants), in whatever order they arrive. Of a purchase at most 200
-- clicks are considered, and of a click 200 purchases: more of one subject and item do not occur within the window.

{{define moment}}environment text, user_id text, device_id text, item_id text, item_type text, variant_id text, at bigint{{end}}

{{define same_item}}
  click.environment = purchase.environment and click.item_id = purchase.item_id
  and (click.item_type = purchase.item_type or click.item_type = '' or purchase.item_type = ''){{end}}

{{define same_user}}click.user_id = purchase.user_id{{end}}

{{define same_device}}
  click.device_id = purchase.device_id and (click.user_id is null or purchase.user_id is null){{end}}

{{define newest_first}}order by clicked_at desc, dimension_id desc limit 1{{end}}

-- The last click of the same user, or device, before the row `purchase`.
{{define last_click(subject, same)}}
  (select clicked_at, dimension_id from (
    select * from metric_clicks as click
    where click.bucket = at_bucket and click.environment = purchase.environment
      and click.item_id = purchase.item_id and click.$subject = purchase.$subject
      and clicked_at between purchased_at - window_ms and purchased_at
    order by clicked_at desc limit 200
  ) as click where {{same_item}} and $same {{newest_first}}){{end}}

{{define find_last_click}}left join lateral (
    select * from ({{last_click user_id | {{same_user}}}} union all {{last_click device_id | {{same_device}}}}) as click
    {{newest_first}}
  ) as last on true{{end}}

-- Purchases that a new click may be the last one of: those before the same subject's next click on the same item.
{{define reached(subject, same)}}
  select purchase.* from json_to_recordset(new_clicks) as click({{moment}})
  cross join lateral (
    select coalesce(min(clicked_at), 9e15::bigint) as next_at from (
      select clicked_at, user_id, device_id, item_type from metric_clicks as later
      where later.bucket = at_bucket and later.environment = click.environment
        and later.item_id = click.item_id and later.$subject = click.$subject
        and later.clicked_at > click.at order by later.clicked_at limit 200
    ) as later
    where later.user_id is not distinct from click.user_id
      and later.device_id is not distinct from click.device_id
      and later.item_type = click.item_type
  ) as next
  cross join lateral (
    select * from metric_purchases as purchase
    where purchase.bucket = at_bucket and purchase.environment = click.environment
      and purchase.item_id = click.item_id and purchase.$subject = click.$subject
      and purchased_at >= click.at and purchased_at < next_at order by purchased_at limit 200
  ) as purchase
  where {{same_item}} and $same and purchased_at <= click.at + window_ms{{end}}

{{define changed_columns}}purchase_id bigint, purchased_at bigint, items float8, revenue float8, before bigint, after bigint{{end}}

-- Returns the changes of the hours: earlier attributions may move to another click. Few older purchases do, and each is
-- updated by its key.
create or replace function attribute(at_bucket integer, new_clicks json, new_purchases json) returns json
language plpgsql set search_path from current as $body$
declare
  made json;
  moved json;
  change record;
begin
  if new_clicks is not null then
    insert into metric_clicks (bucket, environment, user_id, device_id, item_id, item_type, variant_id, clicked_at, dimension_id, search_id)
    select at_bucket, environment, user_id, device_id, item_id, item_type, variant_id, at, dimension_id, search_id
    from json_to_recordset(new_clicks) as input({{moment}}, dimension_id bigint, search_id text);
    select json_agg(reached) into moved from (
      select purchase_id, purchased_at, items, revenue, purchase.dimension_id as before, last.dimension_id as after
      from ({{reached user_id | {{same_user}}}} union {{reached device_id | {{same_device}}}}) as purchase
      {{find_last_click}}
      where purchase.dimension_id is distinct from last.dimension_id
    ) as reached;
    for change in select * from json_to_recordset(moved) as input(purchase_id bigint, after bigint) loop
      update metric_purchases set dimension_id = change.after
      where metric_purchases.bucket = at_bucket and purchase_id = change.purchase_id;
    end loop;
  end if;
  if new_purchases is not null then
    with added as (
      insert into metric_purchases (
        bucket, purchase_id, environment, user_id, device_id, item_id, item_type, variant_id, purchased_at, window_ms,
        items, revenue, dimension_id)
      select at_bucket, purchase_id, environment, user_id, device_id, item_id, item_type, variant_id, purchased_at, window_ms,
        items, revenue, last.dimension_id
      from (
        select *, at as purchased_at from json_to_recordset(new_purchases) as input(
          {{moment}}, purchase_id bigint, window_ms bigint, items float8, revenue float8)
      ) as purchase {{find_last_click}}
      returning purchased_at, items, revenue, dimension_id as after
    )
    select json_agg(added) into made from added where after is not null;
  end if;
  return (
    select json_agg(shifts) from (
      select floor(purchased_at / 3600000.0)::int as hour, side.dimension_id, -1 as counted,
        sum(side.sign * items) as attributed_purchased_items,
        sum(side.sign * revenue) as attributed_revenue
      from (
        select * from json_to_recordset(made) as input({{changed_columns}})
        union all select * from json_to_recordset(moved) as input({{changed_columns}})
      ) as changed
      cross join lateral (values (before, -1), (after, 1)) as side(dimension_id, sign)
      where side.dimension_id is not null group by 1, 2
    ) as shifts);
end
$body$;
