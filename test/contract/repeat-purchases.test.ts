/** Items of reconsumable types return by the rhythm of each visitor, whatever the last visit was about. */

import test from 'ava';
import type { EventRow } from '../../src/repository/event-row.ts';
import { commitEvents } from '../support/events.ts';
import { startTestService } from '../support/service.ts';
import { createModels } from './support/models.ts';

const environment = 'shop';
const deployment = `environments:
  - name: ${environment}
    item_types: [ { name: product }, { name: grocery, reconsumable: true } ]`;

const day = 86_400_000;
const coffees = 10;
const sofas = 30;

const items = [
  ...Array.from({ length: coffees }, (_, i) => ({
    itemType: 'grocery',
    itemId: `coffee${i}`,
    title: 'coffee',
  })),
  ...Array.from({ length: sofas }, (_, i) => ({ itemType: 'product', itemId: `sofa${i}`, title: 'sofa' })),
].map(({ title, ...name }) => ({ ...name, document: { title, categories: [title] } }));

const buysCoffee = (person: number) => person % 3 === 0;

/** A third buys its own coffee each week; all look at five sofas every second day, the last time yesterday. */
const eventsOf = (person: number): EventRow[] => {
  const startMs = Date.now() - 50 * day + person * 60_000;
  const event = (eventType: string, itemType: string, itemId: string, atMs: number): EventRow => ({
    ...{ environment, eventType, itemType, itemId, occurredAtMs: atMs, robot: false, details: {} },
    userId: `user${person}`,
  });
  const bought = Array.from({ length: buysCoffee(person) ? 7 : 0 }, (_, week) =>
    event('purchase', 'grocery', `coffee${person % coffees}`, startMs + (week * 7 + 1) * day),
  );
  const viewed = Array.from({ length: 125 }, (_, view) => {
    const today = Math.floor(view / 5) * 2 + 1;
    const sofa = (person * 7 + view * (1 + (person % 4))) % sofas;
    return event(
      'detail_pageview',
      'product',
      `sofa${sofa}`,
      startMs + today * day - (view % 5) * 60_000 - 3_600_000,
    );
  });
  return [...bought, ...viewed];
};

type Answer = { lists: { items: { item_id: string }[] }[] };

test('weekly coffee comes before the sofas of yesterday, for those who buy it', async (t) => {
  t.timeout(300_000);
  const service = await startTestService(t, deployment, { trains: true });
  const { call, putItems, train } = createModels(service, environment);
  await putItems(items);
  const people = Array.from({ length: 60 }, (_, person) => person);
  await commitEvents(service.database, people.flatMap(eventsOf));
  await call('PUT', 'configurations/any', { configuration_id: 'any' });
  t.is((await train()).state, 'published');
  const placeOfCoffee = async (person: number, page: object = { page_type: 'home' }) => {
    const lists = [{ configuration_id: 'any', list_name: 'l', list_size: 10 }];
    const body = { device_id: 'd', user_id: `user${person}`, lists, ...page };
    const answer = await call<Answer>('POST', `${environment}/recommendations/requests`, body);
    return answer.lists[0].items.findIndex(({ item_id: id }) => id === `coffee${person % coffees}`);
  };
  for (const person of [0, 9, 30]) {
    const place = await placeOfCoffee(person);
    t.true(place >= 0 && place < 3, `place ${place} for user${person}`);
  }
  t.is(await placeOfCoffee(1), -1, 'one who buys no coffee');
  const onPage = await placeOfCoffee(0, { page_type: 'detail', context_item: 'sofa3' });
  t.is(onPage, -1, 'a page about a sofa');
});
