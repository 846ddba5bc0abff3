/** Sums by value of a dimension, from counts by day, or of placements by hour. */

import type { Catalog } from '../../../ranking/catalog/catalog.ts';
import { dayMs, instantOf } from '../../../ranking/runtime/time-zones.ts';
import type { Database } from '../../../repository/database.ts';
import {
  listQueryTexts,
  restValue,
  sumDays,
  type ValueSums,
} from '../../../repository/metrics/metric-days.ts';
import type { GroupName } from '../../../repository/metrics/metric-dimensions.ts';
import type { Measure } from '../../../repository/metrics/metric-measures.ts';
import { listCounts } from '../../../repository/metrics/metric-reads.ts';
import { type Days, hourOfDay } from './days.ts';
import type { Sums } from './definitions.ts';

export type ValueRow = { value: string; itemType: string; title?: string; sums: Sums };

/** Rows of values, all of them together, and rare values that have no row. */
export type Performance = { rows: ValueRow[]; total: Sums; rest?: Sums };

type SourceOptions = { db: Database; environment: string; catalog: Catalog; days: Days };

export async function readDaySums(
  dimension: 'item' | 'query' | 'rank' | 'row',
  { db, environment, catalog, days }: SourceOptions,
): Promise<Performance> {
  const all = (await sumDays(db, { environment, dimension, ...days })).map(rowOf);
  const texts = dimension === 'query' ? await listQueryTexts(db, environment) : undefined;
  const rows: ValueRow[] = [];
  const rare: Sums[] = [];
  for (const row of all) {
    const value = texts ? texts.get(row.value) : row.value;
    if (value === undefined || value === restValue) rare.push(row.sums);
    else if (dimension !== 'item') rows.push({ ...row, value });
    else {
      const itemIndex = catalog.indexOfId(row.value, row.itemType || undefined);
      if (itemIndex === undefined) rows.push(row);
      else rows.push({ ...row, itemType: catalog.itemTypeAt(itemIndex), title: catalog.titleAt(itemIndex) });
    }
  }
  const total = addAll(all.map(({ sums }) => sums));
  return { rows, total, rest: rare.length > 0 ? addAll(rare) : undefined };
}

function rowOf({ item_type, value, ...sums }: ValueSums): ValueRow {
  const without = Math.max(0, sums.searches - sums.searches_without_results - sums.clicked_searches);
  const { purchased_items, revenue } = sums;
  const inUnits = { purchased_items: purchased_items / 1e6, revenue: revenue / 1e6 };
  return { value, itemType: item_type, sums: { ...sums, ...inUnits, searches_without_click: without } };
}

/** Days after its publication in which an item is new. */
const newDays = 30;

/** Adds the items that were shown, and the impressions of new items, to the total. */
export function withCoverage(
  { rows, total, rest }: Performance,
  catalog: Catalog,
  { days, nowMs }: { days: Days; nowMs: number },
): Performance {
  const newFrom = instantOf((days.to - newDays) * dayMs, catalog.timeZone);
  let [shown_items, new_impressions, servable_items] = [0, 0, 0];
  for (const { value, itemType, sums } of rows) {
    const itemIndex = catalog.indexOfId(value, itemType || undefined);
    if (itemIndex === undefined || !sums.impressions || !catalog.servable(itemIndex, nowMs)) continue;
    shown_items += 1;
    if (catalog.publishedAt(itemIndex) >= newFrom) new_impressions += sums.impressions;
  }
  for (let itemIndex = 0; itemIndex < catalog.itemCount; itemIndex++)
    if (catalog.servable(itemIndex, nowMs)) servable_items += 1;
  return { rows, rest, total: { ...total, shown_items, servable_items, new_impressions } };
}

/** Sums items by the values of a key; an item with several values counts for each. */
export function byKey({ rows, total, rest }: Performance, key: string, catalog: Catalog): Performance {
  const column = catalog.column(key)!;
  const sums = new Map<string, Sums[]>();
  for (const row of rows) {
    const itemIndex = catalog.indexOfId(row.value, row.itemType || undefined);
    const values = itemIndex === undefined ? [] : column.valuesAt(itemIndex).map(String);
    for (const value of values.length > 0 ? values : ['']) {
      const ofValue = sums.get(value);
      if (ofValue) ofValue.push(row.sums);
      else sums.set(value, [row.sums]);
    }
  }
  const byValue = Array.from(sums, ([value, all]) => ({ value, itemType: '', sums: addAll(all) }));
  return { rows: byValue, total, rest };
}

/** Measures of all lists, of searches and batches, too. */
const addends: Record<string, readonly Measure[]> = {
  requests: ['requests'],
  impressions: ['impressions', 'search_impressions', 'batch_impressions'],
  clicks: ['clicks', 'search_clicks', 'batch_clicks'],
  purchased_items: ['purchased_items'],
  revenue: ['revenue'],
  attributed_purchased_items: ['attributed_purchased_items'],
  attributed_revenue: ['attributed_revenue'],
};

export type PlacementOptions = SourceOptions & {
  firstHours: ReadonlyMap<string, number>;
  where: Partial<Record<GroupName, string>>;
};

export async function readPlacements(
  dimension: GroupName,
  { db, environment, catalog, days, firstHours, where }: PlacementOptions,
): Promise<Performance> {
  const { timeZone } = catalog;
  const query = {
    ...{ environment, firstHours, where, isSummed: true, measures: Object.values(addends).flat() },
    ...{ fromHour: hourOfDay(days.from, timeZone), toHour: hourOfDay(days.to + 1, timeZone) },
  };
  const groups = Map.groupBy(
    await listCounts(db, { ...query, groupBy: [dimension] }),
    ({ group }) => group[0],
  );
  const sumsOf = (counts: readonly { measure: Measure; value: number }[]): Sums =>
    Object.fromEntries(
      Object.entries(addends).map(([name, measures]) => [
        name,
        counts.reduce((sum, { measure, value }) => sum + (measures.includes(measure) ? value : 0), 0),
      ]),
    );
  const rows = Array.from(groups, ([value, counts]) => ({ value, itemType: '', sums: sumsOf(counts) }));
  return { rows, total: sumsOf(await listCounts(db, { ...query, groupBy: [] })) };
}

function addAll(all: readonly Sums[]): Sums {
  const total: Record<string, number> = {};
  for (const sums of all)
    for (const [name, value] of Object.entries(sums)) total[name] = (total[name] ?? 0) + (value ?? 0);
  return total;
}
