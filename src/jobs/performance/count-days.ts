/**
 * Counts the events of items by calendar day, one node at a time: by item, by query of a search, by
 * rank in the list, and by row of the page. Intake does nothing for it.
 */

import type { Logger } from 'pino';
import { isClick, isImpression, purchaseOf, refundType } from '../../events/meaning.ts';
import type { ListEnvironment } from '../../ranking/environment/serving-environment.ts';
import { createPeriodic, type Periodic } from '../../ranking/runtime/periodic.ts';
import { nextTurn } from '../../ranking/runtime/slices.ts';
import { localDayOf } from '../../ranking/runtime/time-zones.ts';
import { readFingerprint } from '../../ranking/search/serving/query-fingerprint.ts';
import type { Database } from '../../repository/database.ts';
import {
  countDays,
  type DayDimension,
  type DayEvent,
  type DaySums,
  findSearchesOf,
  tidyDays,
} from '../../repository/metrics/metric-days.ts';
import type { DayMeasure } from '../../repository/metrics/metric-measures.ts';

const hourMs = 3_600_000;
const everyMs = 15_000;
const runsPerTidying = 1_440;

/** Ranks and rows beyond are not told apart from an event without one. */
const mostPlaces = 1_000;

/** Clicked searches that the node remembers, to count each once. */
const rememberedSearches = 50_000;

/** Hours from a click to a purchase that is attributed to it, and days that counts are kept. */
type DaySettings = { attributionWindowHours: number; retention: { metricNamesDays: number } };

export type DayCountingOptions = {
  db: Database;
  environments: ReadonlyMap<string, ListEnvironment>;
  settings: ReadonlyMap<string, DaySettings>;
  /** Updates the counts with everything stored, so that clicks are known before their purchases. */
  completeCounts: () => Promise<void>;
  clock: () => number;
  logger: Pick<Logger, 'warn'>;
};

export function createDayCounting(options: DayCountingOptions): Periodic {
  const { db, environments, settings, completeCounts, clock, logger } = options;
  const clicked = new Set<string>();
  let runs = 0;
  const work = async (signal: AbortSignal) => {
    await completeCounts();
    for (const [name, { catalog }] of environments) {
      const { timeZone } = catalog;
      const { attributionWindowHours, retention } = settings.get(name)!;
      const counting = {
        db,
        environment: name,
        timeZone,
        windowMs: attributionWindowHours * hourMs,
        clicked,
      };
      const sumsOf = (events: DayEvent[]) => gatherDays(events, counting);
      while (!signal.aborted && (await countDays(db, name, sumsOf))) await nextTurn();
      if (runs % runsPerTidying > 0) continue;
      const today = localDayOf(clock(), timeZone);
      await tidyDays(db, name, { from: today - retention.metricNamesDays, closed: today - 1 });
    }
    runs += 1;
  };
  const complaint = 'Events of items could not be counted by day; trying again.';
  return createPeriodic({ work, pauseMs: everyMs, firstPauseMs: 1_000, complaint, logger });
}

type Gathering = {
  db: Database;
  environment: string;
  timeZone: string;
  windowMs: number;
  /** Requests of clicked searches. */
  clicked: Set<string>;
};

async function gatherDays(events: readonly DayEvent[], gathering: Gathering): Promise<DaySums[]> {
  const { db, environment, timeZone, windowMs, clicked } = gathering;
  const sums = new Map<string, DaySums>();
  const add = (
    event: DayEvent,
    [dimension, value, itemType = '']: readonly [DayDimension, string, string?],
    additions: Partial<Record<DayMeasure, number>>,
  ) => {
    const day = localDayOf(event.occurredAtMs, timeZone);
    const key = JSON.stringify([dimension, day, itemType, value]);
    const row: DaySums = sums.get(key) ?? { dimension, day, item_type: itemType, value };
    for (const [name, addition] of Object.entries(additions) as [DayMeasure, number][])
      row[name] = (row[name] ?? 0) + addition;
    sums.set(key, row);
  };
  const isBought = ({ eventType }: DayEvent) => !isClick(eventType) && !isImpression(eventType);
  for (const event of events) {
    if (isBought(event)) continue;
    const additions = listAdditions(event);
    const fingerprint = fingerprintOf(event);
    add(event, ['item', event.itemId, event.itemType], additions);
    if (fingerprint) {
      const isFirst = isClick(event.eventType) && !clicked.has(event.requestId!);
      if (isFirst) remember(clicked, event.requestId!);
      add(event, ['query', fingerprint], { ...additions, clicked_searches: Number(isFirst) });
    }
    for (const dimension of ['rank', 'row'] as const) {
      const place = placeIn(event, dimension);
      if (place !== undefined) add(event, [dimension, String(place)], additions);
    }
  }
  const bought = events.filter(isBought);
  const purchases = bought.map((event) => ({ ...event, purchasedAtMs: event.occurredAtMs }));
  const searches = await findSearchesOf(db, environment, purchases, windowMs);
  for (const [index, event] of bought.entries()) {
    const { items, revenue } = purchaseOf(event);
    const one = event.eventType === refundType ? 0 : 1;
    const additions = { purchases: one, purchased_items: items, revenue };
    add(event, ['item', event.itemId, event.itemType], additions);
    const fingerprint = fingerprintOf({ requestId: searches[index] });
    if (fingerprint) add(event, ['query', fingerprint], additions);
  }
  return [...sums.values()];
}

function listAdditions(event: DayEvent): Partial<Record<DayMeasure, number>> {
  if (!isClick(event.eventType)) return { impressions: 1 };
  const rank = placeIn(event, 'rank');
  return rank === undefined ? { clicks: 1 } : { clicks: 1, ranked_clicks: 1, rank_sum: rank };
}

function placeIn({ details }: DayEvent, name: 'rank' | 'row'): number | undefined {
  const place = details[name];
  return Number.isInteger(place) && Number(place) > 0 && Number(place) <= mostPlaces
    ? Number(place)
    : undefined;
}

function fingerprintOf({ requestId }: Pick<DayEvent, 'requestId'>): string | undefined {
  const fingerprint = requestId ? readFingerprint(requestId) : undefined;
  return fingerprint === undefined ? undefined : String(fingerprint);
}

/** Forgets the oldest beyond the number remembered. */
function remember(clicked: Set<string>, requestId: string): void {
  clicked.add(requestId);
  const [oldest] = clicked;
  if (clicked.size > rememberedSearches) clicked.delete(oldest);
}
