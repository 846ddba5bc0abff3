import test from 'ava';
import demoConfigurations from '../../src/deployment/demo/configurations.json' with { type: 'json' };
import { demoItems } from '../../src/deployment/demo/items.ts';
import { tastes } from '../../src/deployment/demo/tastes.ts';
import { demoEvents, listVisitors, namedVisitors } from '../../src/deployment/demo/visitors.ts';
import type { DemoEvent } from '../../src/deployment/demo/visits.ts';

const now = new Date('2026-03-14T10:20:30Z');
const minuteMs = 60_000;
const seed = 1;
const items = demoItems({ now });
const events = demoEvents({ now, items, seed });
const itemsById = new Map(items.map((item) => [item.item_id, item]));
const pageviews = events.filter((event) => event.event_type === 'detail_pageview');

/** `outdoor/hiking` of `outdoor/hiking/trails`. */
function subjectOf(itemId: string): string {
  return itemsById.get(itemId)!.categories[0].split('/').slice(0, 2).join('/');
}

function shareOf(views: DemoEvent[], subject: string): number {
  return views.filter((view) => subjectOf(view.action_item) === subject).length / views.length;
}

test('ids and titles are unique across the item types', (t) => {
  t.is(new Set(items.map((item) => item.item_id)).size, items.length);
  t.is(new Set(items.map((item) => item.title)).size, items.length);
  t.is(new Set(items.map((item) => item.description)).size, items.length);
});

test('there are about 150 stories, 150 products and 100 videos', (t) => {
  const counts = Object.groupBy(items, (item) => item.item_type);
  t.deepEqual([counts.article?.length, counts.item?.length, counts.video?.length], [152, 152, 96]);
});

test('an item carries exactly the declared properties of its type', (t) => {
  const declared = {
    article: ['reading_minutes'],
    video: ['duration_minutes'],
    item: ['brand', 'in_stock', 'price'],
  };
  const all = Object.values(declared).flat();
  for (const item of items) {
    const present = Object.keys(item).filter((key) => all.includes(key));
    t.deepEqual(present.sort(), declared[item.item_type], item.item_id);
  }
});

test('an item has the fields of a real catalogue', (t) => {
  for (const item of items) {
    t.regex(item.item_id, /^[a-z0-9]+(-[a-z0-9]+)*$/);
    t.regex(item.description, /^\p{Lu}.{15,240}[.?!]$/u, item.item_id);
    t.true(['en', 'nl', 'de', 'fr'].includes(item.language), item.item_id);
    t.true(item.tags.length > 0 && new Set(item.tags).size === item.tags.length, item.item_id);
    t.true(item.uri.startsWith('https://example.com/'), item.item_id);
    t.true(item.images[0].url.startsWith('https://example.com/'), item.item_id);
    t.true((item.price ?? item.reading_minutes ?? item.duration_minutes ?? 0) > 0, item.item_id);
  }
});

test('publication is spread over a period that ends before the load', (t) => {
  const agesDays = items.map((item) => (now.getTime() - Date.parse(item.publication_datetime)) / 86_400_000);
  t.true(Math.min(...agesDays) > 0);
  t.true(Math.max(...agesDays) > 300);
  const freshCount = items.filter((item, index) => item.item_type !== 'item' && agesDays[index] < 14).length;
  t.true(freshCount >= 40, `${freshCount} stories and videos of the last fourteen days`);
});

test('every category has stories, products and videos, and each is viewed', (t) => {
  const categories = new Set(items.map((item) => item.categories[0]));
  const viewed = new Set(pageviews.map((view) => itemsById.get(view.action_item)!.categories[0]));
  t.is(categories.size, 32);
  for (const category of categories) {
    const types = items.filter((item) => item.categories[0] === category).map((item) => item.item_type);
    t.is(new Set(types).size, 3, category);
    t.regex(category, /^[a-z]+\/[a-z]+\/[a-z-]+$/);
    t.true(viewed.has(category), category);
  }
});

test('the same seed gives the same events, another seed gives others', (t) => {
  t.deepEqual(demoEvents({ now, items: demoItems({ now }), seed }), events);
  t.notDeepEqual(demoEvents({ now, items, seed: 2 }), events);
});

test('a load at another time has the same event ids about the same items', (t) => {
  const later = new Date(now.getTime() + 7_654_321);
  const shifted = demoEvents({ now: later, items: demoItems({ now: later }), seed });
  const essence = (event: DemoEvent) => [event.event_id, event.event_type, event.action_item];
  t.deepEqual(shifted.map(essence), events.map(essence));
});

test('there are about 8,500 events of some 300 devices, half of them with an account', (t) => {
  const devices = Object.groupBy(events, (event) => event.device_id);
  const known = Object.values(devices).filter((list) => list?.[0].user_id !== undefined);
  t.true(events.length > 7_500 && events.length < 9_500, `${events.length} events`);
  t.is(Object.keys(devices).length, 305);
  t.true(known.length > 140 && known.length < 170, `${known.length} accounts`);
});

test('event ids are unique and events are in order, within the last thirty days', (t) => {
  t.is(new Set(events.map((event) => event.event_id)).size, events.length);
  const timestamps = events.map((event) => event.timestamp);
  t.deepEqual(
    timestamps,
    timestamps.toSorted((left, right) => left - right),
  );
  t.true(timestamps.at(-1)! * 1000 <= now.getTime());
  t.true(timestamps.at(-1)! * 1000 > now.getTime() - 60 * minuteMs);
  t.true(timestamps[0] * 1000 > now.getTime() - 30 * 24 * 60 * minuteMs);
});

/** Fields of events beyond the common ones, by event type. */
const extraFields: Partial<Record<DemoEvent['event_type'], string[]>> = {
  detail_pageview: [],
  item_interaction: ['interaction_type'],
  checkpoint: ['progress'],
  add_to_cart: ['amount', 'original_price'],
  purchase: ['amount', 'original_price', 'purchased_price'],
};
const commonFields = [
  'action_item',
  'action_item_type',
  'channel',
  'device_id',
  'event_id',
  'event_type',
  'page_type',
  'timestamp',
];

for (const [type, extra] of Object.entries(extraFields)) {
  test(`every ${type} has the fields of its row of the event table`, (t) => {
    const rows = events.filter((event) => event.event_type === type);
    t.true(rows.length > 100);
    for (const { user_id, ...event } of rows) {
      t.deepEqual(Object.keys(event).sort(), [...commonFields, ...extra].sort());
      t.true(Object.values(event).every((value) => value !== undefined && value !== ''));
      t.true(user_id === undefined || user_id.length > 0);
    }
  });
}

test('an event is about a published item of a fitting type', (t) => {
  for (const event of events) {
    const item = itemsById.get(event.action_item)!;
    t.is(event.action_item_type, item.item_type);
    t.true(Date.parse(item.publication_datetime) <= event.timestamp * 1000, event.event_id);
    if (event.event_type === 'checkpoint') t.not(item.item_type, 'item');
    if (event.event_type === 'add_to_cart' || event.event_type === 'purchase') t.true(item.in_stock);
    t.true((event.progress ?? 1) > 0 && (event.progress ?? 1) <= 1);
    t.true((event.purchased_price ?? 0) <= (event.original_price ?? 0));
  }
});

for (const taste of tastes) {
  test(`the taste of the ${taste.name} is recognisable from co-visits`, (t) => {
    const visitors = listVisitors(seed).filter((visitor) => visitor.taste.name === taste.name);
    const devices = new Set(visitors.map((visitor) => visitor.identity.device_id));
    const chance = shareOf(pageviews, taste.main);
    const ofTaste = shareOf(
      pageviews.filter((view) => devices.has(view.device_id)),
      taste.main,
    );
    t.true(ofTaste / chance > 4, `${ofTaste.toFixed(2)} of the views against ${chance.toFixed(2)} by chance`);
    t.true(
      coVisitShare(taste.main) / chance > 3,
      'a view of a subject is followed by another of the same subject',
    );
  });
}

/**
 * Share of pairs of views by one device with both on the subject, among pairs with the first on it.
 */
function coVisitShare(subject: string): number {
  let pairCount = 0;
  let sameCount = 0;
  for (const views of Object.values(Object.groupBy(pageviews, (view) => view.device_id))) {
    const subjectCount = views!.filter((view) => subjectOf(view.action_item) === subject).length;
    pairCount += subjectCount * (views!.length - 1);
    sameCount += subjectCount * (subjectCount - 1);
  }
  return sameCount / pairCount;
}

test('the five named visitors mostly view five different subjects, and only a part of each', (t) => {
  const subjects = namedVisitors.map(({ name }) => {
    const views = pageviews.filter((view) => view.user_id === name);
    const bySubject = Object.entries(Object.groupBy(views, (view) => subjectOf(view.action_item)));
    const [subject, most] = bySubject.sort(([, left], [, right]) => right!.length - left!.length)[0];
    t.true(most!.length > views.length / 2, name);
    t.true(most!.length < 30, name);
    return subject;
  });
  t.is(new Set(subjects).size, 5);
});

test('visitors open items in their languages only', (t) => {
  const visitors = new Map(listVisitors(seed).map((visitor) => [visitor.identity.device_id, visitor]));
  const languages = new Set<string>();
  for (const view of pageviews) {
    const { language } = itemsById.get(view.action_item)!;
    languages.add(language);
    const { secondLanguage } = visitors.get(view.device_id)!;
    t.true(language === 'en' || language === secondLanguage, view.event_id);
  }
  t.deepEqual([...languages].sort(), ['de', 'en', 'fr', 'nl']);
});

const conditionKeys = new Set([...items.flatMap((item) => Object.keys(item)), 'item_attributes.author']);

for (const { configuration_id, constraints, preferences } of demoConfigurations) {
  test(`configuration ${configuration_id} uses keys of items, with one operator per query`, (t) => {
    for (const element of [...constraints, ...preferences]) {
      const { key, ...operators } = ('query' in element ? element.query : element.diversify)!;
      t.true(conditionKeys.has(key), key);
      t.is(Object.keys(operators).length, 'query' in element ? 1 : 0);
    }
  });
}

test('configuration ids are unique', (t) => {
  const ids = demoConfigurations.map((configuration) => configuration.configuration_id);
  t.deepEqual(ids, ['home', 'related', 'shop', 'fresh', 'watch']);
});
