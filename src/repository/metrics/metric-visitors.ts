/** Counts visitors, sessions and orders of periods from the hours of devices. */

import { listBuckets } from '../buckets.ts';
import { type Database, query } from '../database.ts';

/** Most hours of devices that a query reads; of more, a random part of the devices is counted. */
const mostDeviceHours = 1_000_000;

/**
 * Sums of a period. A visitor is a device. A session ends with an hour without an event, and with
 * the period. An order is a session with purchases. Revenue is in millionths.
 */
export type VisitorSums = {
  /** Place of the period, from 0. */
  period: number;
  visitors: number;
  sessions: number;
  buyers: number;
  orders: number;
  purchased_items: number;
  revenue: number;
  order_revenue: number;
  /** Sums of squares over visitors, sessions and orders. */
  visitor_squares: number;
  session_squares: number;
  order_squares: number;
  sessions_of_visitor_squares: number;
  orders_of_visitor_squares: number;
};

const text = `
with hours as (
  select bucket, device_id, hour, width_bucket(hour, $3::int[]) - 1 as period, purchased_items as items, revenue
  from metric_devices
  where bucket = any($1) and environment = $2 and hour >= ($3::int[])[1] and hour < $4
    and hashtext(device_id) & $5::int = 0
),
marked as (
  select *, coalesce(hour - lag(hour) over (partition by bucket, device_id, period order by hour) > 1, true)::int as begins
  from hours
),
numbered as (
  select *, sum(begins) over (partition by bucket, device_id, period order by hour) as session from marked
),
sessions as (
  select bucket, device_id, period, sum(items) as items, sum(revenue) as revenue from numbered
  group by bucket, device_id, period, session
),
visitors as (
  select period, count(*) as sessions, count(*) filter (where items > 0) as orders, sum(items) as items,
    sum(revenue) as revenue, sum(revenue ^ 2) as squares, sum(revenue) filter (where items > 0) as order_revenue,
    sum(revenue ^ 2) filter (where items > 0) as order_squares
  from sessions group by bucket, device_id, period
)
select period, count(*) as visitors, sum(sessions)::float8 as sessions, count(*) filter (where orders > 0) as buyers,
  sum(orders)::float8 as orders, sum(items) as purchased_items, sum(revenue) as revenue,
  coalesce(sum(order_revenue), 0) as order_revenue, sum(revenue ^ 2) as visitor_squares,
  sum(squares) as session_squares, coalesce(sum(order_squares), 0) as order_squares,
  sum(sessions ^ 2)::float8 as sessions_of_visitor_squares, sum(orders ^ 2)::float8 as orders_of_visitor_squares
from visitors group by period order by period`;

export type VisitorQuery = {
  environment: string;
  /** First hours of the periods, hours since 1970, ascending; the last period ends before `toHour`. */
  starts: readonly number[];
  toHour: number;
};

/** @returns Sums of the counted visitors, of whom one in `scale` was counted. */
export async function sumVisitors(
  db: Database,
  { environment, starts, toHour }: VisitorQuery,
  most: number = mostDeviceHours,
): Promise<{ periods: VisitorSums[]; scale: number }> {
  const buckets = await listBuckets(db);
  const sizeText = `
    select coalesce(sum(devices), 0)::float8 as size from metric_totals
    where bucket = any($1) and environment = $2 and dimension = 0 and hour >= $3 and hour < $4`;
  const sizing = [buckets, environment, starts[0], toHour];
  const [{ size }] = await query<{ size: number }>(db, '', sizeText, sizing);
  const scale = 2 ** Math.max(0, Math.ceil(Math.log2(size / most)));
  const periods = await query<VisitorSums>(db, '', text, [buckets, environment, starts, toHour, scale - 1]);
  return { periods, scale };
}
