import test from 'ava';
import { demoItems } from '../../src/deployment/demo/items.ts';
import { shownLists } from '../../src/deployment/demo/shown-lists.ts';
import { demoEvents } from '../../src/deployment/demo/visitors.ts';

const now = new Date('2026-03-14T10:20:30Z');
const items = demoItems({ now });
const visits = demoEvents({ now, items, seed: 1 });
const options = { visits, items, nowMs: now.getTime(), searchIdOf: (query: string) => `search of ${query}` };
const shown = shownLists(options);

test('lists of two weeks have impressions and some clicks, each after its impression', (t) => {
  const of = (type: string) => shown.events.filter(({ event_type }) => event_type === type);
  const [impressions, clicks] = [of('impression'), of('click_on_recommendation')];
  t.true(impressions.length > 800 && impressions.length < 1_600, `${impressions.length} impressions`);
  t.true(clicks.length > 60 && clicks.length < 200, `${clicks.length} clicks`);
  for (const click of clicks) {
    const { request_id, action_item, timestamp } = click;
    const seen = impressions.find((one) => one.request_id === request_id && one.action_item === action_item);
    t.true(seen!.timestamp < timestamp);
  }
  t.is(new Set(shown.events.map(({ event_id }) => event_id)).size, shown.events.length);
  t.true(shown.events.every(({ timestamp }) => timestamp * 1_000 < now.getTime()));
});

test('searches are of a tag or fail, and their events name them', (t) => {
  const tags = new Set(items.flatMap((item) => item.tags));
  t.true(shown.searches.length > 50);
  t.true(shown.searches.some(({ isFound }) => !isFound));
  t.true(shown.searches.every(({ query, isFound, ageDays }) => tags.has(query) === isFound && ageDays < 14));
  t.true(shown.events.some(({ request_id }) => request_id?.startsWith('search of ')));
});

test('devices are split evenly between the variants, and a second load is the same', (t) => {
  const trends = shown.assignments.filter(({ variant }) => variant === 'trends');
  t.true(Math.abs(trends.length - shown.assignments.length / 2) <= 1);
  t.true(trends.length >= 100);
  t.deepEqual(shownLists(options), shown);
});
