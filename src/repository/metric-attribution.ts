/**
 * Which purchases are attributed: the same user clicked the item before, within the window.
 *
 * "Same user" is the same user id where both events have one, else the same device. "Before" includes the same moment. A purchase belongs to
 * the last such click and counts under its dimensions; of clicks at one moment the one of the largest combination id, so that
 * the outcome depends on the events alone. A click may arrive after the purchase, so each click looks for purchases, too.
 */
import type { Run } from './database.ts';
import type { HourCount, MetricBatch } from './metric-batch.ts';
import { hourOf } from './metric-batch.ts';

/** Any number, as long as nothing else takes it. A click and its purchase must not be stored unseen by each other. */
const attributionLock = 7_317_004;

const lockStatement = `select pg_advisory_xact_lock(${attributionLock})`;

const moment = 'environment text, user_id text, device_id text, item_id text, item_type text, at bigint';

const insertStatement = `
with clicked as (
  insert into metric_clicks (environment, user_id, device_id, item_id, item_type, clicked_at, dimension_id)
  select environment, user_id, device_id, item_id, item_type, at, dimension_id
  from json_to_recordset($1::json) as input(${moment}, dimension_id bigint)
)
insert into metric_purchases (environment, user_id, device_id, item_id, item_type, purchased_at, window_ms, items, revenue)
select environment, user_id, device_id, item_id, item_type, at, window_ms, items, revenue
from json_to_recordset($2::json) as input(${moment}, window_ms bigint, items float8, revenue float8)
returning purchase_id as id`;

/** What a click and a purchase have in common besides the user. */
const sameItem = `
  click.environment = purchase.environment and click.item_id = purchase.item_id
  and (click.item_type = purchase.item_type or click.item_type = '' or purchase.item_type = '')`;
const sameUser = 'click.user_id = purchase.user_id';
const sameDevice = `
  click.device_id = purchase.device_id and (click.user_id is null or purchase.user_id is null)`;
const newestFirst = 'order by clicked_at desc, dimension_id desc limit 1';

const lastClick = (same: string) => `
  (select clicked_at, dimension_id from metric_clicks as click
  where ${sameItem} and ${same} and clicked_at between purchased_at - window_ms and purchased_at ${newestFirst})`;

/** Purchases that a new click could be the last one of. */
const reached = (same: string) => `
  select purchase_id from json_to_recordset($2::json) as click(${moment})
  join metric_purchases as purchase on ${sameItem} and ${same}
    and purchased_at between click.at and click.at + window_ms`;

const attributeStatement = `
with touched as (
  select unnest($1::bigint[]) as purchase_id union ${reached(sameUser)} union ${reached(sameDevice)}
),
found as (
  select purchase_id, purchase.dimension_id as before, last.dimension_id as after
  from touched join metric_purchases as purchase using (purchase_id)
  left join lateral (
    select * from (${lastClick(sameUser)} union all ${lastClick(sameDevice)}) as click ${newestFirst}
  ) as last on true
  where purchase.dimension_id is distinct from last.dimension_id
)
update metric_purchases as purchase set dimension_id = after from found where purchase.purchase_id = found.purchase_id
returning purchased_at as at, items, revenue, before, after`;

type Shift = { at: number; items: number; revenue: number; before: number | null; after: number };

/** Stores the batch's clicks and purchases, and returns what changes in the counts. */
export async function attribute(run: Run, { clicks, purchases }: MetricBatch): Promise<HourCount[]> {
  if (clicks.length + purchases.length === 0) return [];
  await run({ name: 'lock-attribution', text: lockStatement, values: [] });
  const clicked = JSON.stringify(clicks);
  const values = [clicked, JSON.stringify(purchases)];
  const inserted = await run<{ id: number }>({ name: 'insert-attribution', text: insertStatement, values });
  const ids = inserted.map(({ id }) => id);
  const shifts = await run<Shift>({ name: 'attribute', text: attributeStatement, values: [ids, clicked] });
  return shifts.flatMap(countsOf);
}

function countsOf({ at, items, revenue, before, after }: Shift): HourCount[] {
  const under = (dimensionId: number, sign: 1 | -1): HourCount[] => [
    {
      measure: 'attributed_purchased_items',
      hour: hourOf(at),
      dimensionId,
      counted: '-1',
      value: sign * items,
    },
    { measure: 'attributed_revenue', hour: hourOf(at), dimensionId, counted: '-1', value: sign * revenue },
  ];
  return [...under(after, 1), ...(before === null ? [] : under(before, -1))];
}
