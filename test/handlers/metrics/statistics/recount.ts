/** All counts of a log of events, recounted from scratch in the plainest way. */

import type { EventRow } from '../../../../src/repository/event-row.ts';
import {
  type DimensionName,
  type GroupName,
  propertyOf,
} from '../../../../src/repository/metrics/metric-dimensions.ts';
import type { Measure } from '../../../../src/repository/metrics/metric-measures.ts';

export type Log = { event: EventRow; ordinal: number }[];

export type Recount = {
  environment: string;
  groupBy: readonly GroupName[];
  where: Partial<Record<GroupName, string>>;
  windowMs: number;
};

const hourOf = ({ occurredAtMs }: EventRow) => Math.floor(occurredAtMs / 3_600_000);

export function dimensionOf(event: EventRow, name: GroupName): string {
  const property = propertyOf(name);
  if (property !== undefined) return (event.details as Record<string, string>)[property] ?? '';
  const { configuration_id: configuration } = event.details as { configuration_id?: string };
  const values: Record<DimensionName, string | undefined> = {
    user_group: event.userGroup,
    version: event.version,
    page_type: event.pageType,
    list_name: event.listName,
    channel: event.channel,
    configuration,
  };
  return values[name as DimensionName] ?? '';
}

type Details = { amount?: number; purchased_price?: number; interaction_type?: string };
const pieces = (event: EventRow) => (event.details as Details).amount ?? 1;
const money = (event: EventRow) => pieces(event) * ((event.details as Details).purchased_price ?? 0);

const ofType =
  (...types: string[]) =>
  (event: EventRow) =>
    types.includes(event.eventType);
const one = () => 1;

const isNegative = (event: EventRow) =>
  event.eventType === 'item_interaction' && (event.details as Details).interaction_type === 'dislike';

const sums: [Measure, (event: EventRow) => boolean, (event: EventRow) => number][] = [
  ['impressions', ofType('impression'), one],
  ['clicks', ofType('click_on_recommendation'), one],
  ['pageviews', ofType('detail_pageview', 'group_pageview', 'page_visit'), one],
  ['item_interactions', ofType('item_interaction'), one],
  ['negative_interactions', isNegative, one],
  ['add_to_carts', ofType('add_to_cart'), one],
  ['purchased_items', ofType('purchase'), pieces],
  ['revenue', ofType('purchase'), money],
  ['search_impressions', ofType('search_impression'), one],
  ['search_clicks', ofType('search_click_on_recommendation'), one],
  ['batch_opens', ofType('batch_open'), one],
  ['batch_impressions', ofType('batch_impression'), one],
  ['batch_clicks', ofType('batch_click_on_recommendation'), one],
];

const distinct: [Measure, (event: EventRow) => string | undefined][] = [
  ['users', (event) => event.userId],
  ['devices', (event) => (event.deviceId === 'anonymous' ? undefined : event.deviceId)],
  ['impressions_sets', (event) => (event.eventType === 'impression' ? event.requestId : undefined)],
];

/** `measure hour group…` to the value, rounded to six digits; zeros are left out. */
export function recount(log: readonly EventRow[], query: Recount): Map<string, number> {
  const counts = new Map<string, number>();
  const placeOf = (measure: Measure, hour: number, event: EventRow) =>
    JSON.stringify([measure, hour, ...query.groupBy.map((name) => dimensionOf(event, name))]);
  const add = (place: string, value: number) => counts.set(place, (counts.get(place) ?? 0) + value);
  const matches = (event: EventRow) =>
    Object.entries(query.where).every(([name, value]) => dimensionOf(event, name as GroupName) === value);
  const ours = log.filter(({ environment }) => environment === query.environment);
  const people = ours.filter(({ robot }) => !robot);
  for (const event of ours.filter(matches)) add(placeOf('events', hourOf(event), event), 1);
  for (const event of people.filter(matches)) {
    for (const [measure, is, value] of sums)
      if (is(event)) add(placeOf(measure, hourOf(event), event), value(event));
  }
  for (const [measure, keyOf] of distinct) {
    const seen = new Map<string, Set<string>>();
    for (const event of people.filter(matches)) {
      const key = keyOf(event);
      const place = placeOf(measure, hourOf(event), event);
      if (key !== undefined) seen.set(place, (seen.get(place) ?? new Set()).add(key));
    }
    for (const [place, keys] of seen) add(place, keys.size);
  }
  for (const [purchase, hour, click] of attributed(people, query.windowMs)) {
    if (!matches(click)) continue;
    add(placeOf('attributed_purchased_items', hour, click), pieces(purchase));
    add(placeOf('attributed_revenue', hour, click), money(purchase));
  }
  for (const [place, value] of counts) {
    if (Math.abs(value) < 1e-7) counts.delete(place);
    else counts.set(place, Math.round(value * 1e6) / 1e6);
  }
  return counts;
}

function* attributed(events: EventRow[], windowMs: number): Generator<[EventRow, number, EventRow]> {
  for (const purchase of events.filter(ofType('purchase'))) {
    const clicks = events.filter(
      (event) =>
        event.eventType.endsWith('click_on_recommendation') &&
        event.itemId !== undefined &&
        event.itemId === purchase.itemId &&
        isSamePerson(event, purchase) &&
        event.occurredAtMs <= purchase.occurredAtMs &&
        event.occurredAtMs >= purchase.occurredAtMs - windowMs,
    );
    const last = clicks.toSorted((a, b) => b.occurredAtMs - a.occurredAtMs)[0];
    if (last) yield [purchase, hourOf(purchase), last];
  }
}

function isSamePerson(a: EventRow, b: EventRow): boolean {
  if (a.userId !== undefined && b.userId !== undefined) return a.userId === b.userId;
  return a.deviceId !== undefined && a.deviceId !== 'anonymous' && a.deviceId === b.deviceId;
}
