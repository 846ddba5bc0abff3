/**
 * What visitors were shown before they opened an item, in the last two weeks: a list with impressions and sometimes a click,
 * or a search. Every other device is in the variant of the demo's experiment and clicks a little more often.
 */
import type { DemoItem } from './items.ts';
import { createChance } from './random.ts';
import type { DemoEvent } from './visits.ts';

/** Device and name of its variant in the demo's experiment. */
export type DemoAssignment = { device_id: string; variant: 'control' | 'trends' };

/** A search, with the age of its day in days. */
export type DemoSearch = { query: string; ageDays: number; isFound: boolean };

export type Shown = { events: DemoEvent[]; assignments: DemoAssignment[]; searches: DemoSearch[] };

export const shownDays = 14;
const daySeconds = 86_400;
const places = 4;
const searchShare = 0.25;
const clickShares = { control: 0.3, trends: 0.42, search: 0.6 };
/** Queries that the catalogue has no answer for. */
const failing = ['gift card', 'returns', 'kayak'];
const failingShare = 0.1;

type Visits = {
  /** Events of visits, by time. */
  visits: readonly DemoEvent[];
  items: readonly DemoItem[];
  nowMs: number;
  /** Makes the identifier of a search. */
  searchIdOf(query: string): string;
};

export function shownLists({ visits, items, nowMs, searchIdOf }: Visits): Shown {
  const shown: Shown = { events: [], assignments: [], searches: [] };
  const variants = new Map<string, DemoAssignment>();
  const isFirst = (one: DemoEvent) => one.event_id.endsWith('-1') && one.event_type === 'detail_pageview';
  for (const opened of visits.filter(isFirst)) {
    const ageDays = Math.floor((nowMs / 1_000 - opened.timestamp) / daySeconds);
    if (ageDays >= shownDays) continue;
    const { device_id } = opened;
    const variant = variants.size % 2 === 0 ? 'control' : 'trends';
    const assignment = variants.get(device_id) ?? { device_id, variant };
    variants.set(device_id, assignment);
    const chance = createChance(`${opened.event_id}/shown`);
    let searchId: string | undefined;
    const item = items.find((one) => one.item_id === opened.action_item)!;
    if (chance.happens(searchShare)) {
      const isFound = !chance.happens(failingShare);
      const query = isFound ? item.tags[0] : chance.pick(failing);
      shown.searches.push({ query, ageDays, isFound });
      if (!isFound) continue;
      searchId = searchIdOf(query);
    }
    const others = items.filter((one) => one.item_type === item.item_type && one !== item);
    const listed = Array.from({ length: places }, () => chance.pick(others));
    listed[chance.whole(0, places - 1)] = item;
    const isClicked = chance.happens(clickShares[searchId ? 'search' : assignment.variant]);
    shown.events.push(
      ...eventsOf(opened, { listed, searchId, isClicked, isOfShop: item.item_type === 'item' }),
    );
  }
  shown.assignments.push(...variants.values());
  return shown;
}

type List = { listed: DemoItem[]; searchId?: string; isClicked: boolean; isOfShop: boolean };

/** Impressions some seconds before an item was opened, and the click on it. */
function eventsOf(opened: DemoEvent, { listed, searchId, isClicked, isOfShop }: List): DemoEvent[] {
  const { event_id, timestamp, device_id, user_id, channel } = opened;
  const id = `${event_id}-shown`;
  const place = searchId
    ? ({ page_type: 'search', list_name: 'results' } as const)
    : isOfShop
      ? ({ page_type: 'shop', list_name: 'recommended products', configuration_id: 'shop' } as const)
      : ({ page_type: 'home', list_name: 'for you', configuration_id: 'home' } as const);
  const who = { device_id, ...(user_id && { user_id }), channel };
  const prefix = searchId ? 'search_' : '';
  const of = (
    type: 'impression' | 'click_on_recommendation',
    at: number,
    secondsBefore: number,
  ): DemoEvent => ({
    ...{
      event_id: `${id}-${type}-${at}`,
      event_type: `${prefix}${type}`,
      timestamp: timestamp - secondsBefore,
    },
    ...who,
    ...place,
    ...{ action_item: listed[at].item_id, action_item_type: listed[at].item_type },
    ...{ rank: at + 1, request_id: searchId ?? id, user_group: 'recommender' },
  });
  const clicked = listed.findIndex(({ item_id }) => item_id === opened.action_item);
  const impressions = listed.map((_, at) => of('impression', at, 9));
  return isClicked ? [...impressions, of('click_on_recommendation', clicked, 2)] : impressions;
}
