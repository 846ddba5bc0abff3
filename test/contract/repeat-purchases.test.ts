/** After a purchase: groceries return by the rhythm of each visitor, and washing machines do not. */

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
const washers = 20;

const items = [
  ...Array.from({ length: coffees }, (_, i) => ({
    itemType: 'grocery',
    itemId: `coffee${i}`,
    title: 'coffee',
  })),
  ...Array.from({ length: sofas }, (_, i) => ({ itemType: 'product', itemId: `sofa${i}`, title: 'sofa' })),
  ...Array.from({ length: washers }, (_, i) => ({
    itemType: 'product',
    itemId: `washer${i}`,
    title: 'washer',
  })),
].map(({ title, ...name }) => ({ ...name, document: { title, categories: [title] } }));

const buysCoffee = (person: number) => person % 3 === 0;

/** Day from which a person looks at no washing machine any more: that of its purchase, or the first. */
const washersUntil = (person: number) => [0, 25, 51, 49, 0][person % 5];
const buysWasher = (person: number) => person % 5 === 1 || person % 5 === 3;

/**
 * A third buys its own coffee each week. All look at five things every second day, the last time yesterday: sofas, and two
 * washing machines among them. Of five people one bought a machine halfway, one yesterday, and one none yet.
 */
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
    const number = person * 7 + view * (1 + (person % 4));
    const isWasher = view % 5 < 2 && today <= washersUntil(person);
    const itemId = isWasher ? `washer${number % washers}` : `sofa${number % sofas}`;
    const atMs = startMs + today * day - (view % 5) * 60_000 - 3_600_000;
    return event('detail_pageview', 'product', itemId, atMs);
  });
  const washer = event('purchase', 'product', 'washer0', startMs + washersUntil(person) * day - 3_500_000);
  return [...bought, ...viewed, ...(buysWasher(person) ? [washer] : [])];
};

type Answer = { lists: { items: { item_id: string }[] }[] };

test('weekly coffee comes before the sofas of yesterday, and no washing machine after its purchase', async (t) => {
  const service = await startTestService(t, deployment, { trains: true });
  const { call, putItems, train } = createModels(service, environment);
  await putItems(items);
  const people = Array.from({ length: 100 }, (_, person) => person);
  await commitEvents(service.database, people.flatMap(eventsOf));
  await call('PUT', 'configurations/any', { configuration_id: 'any' });
  t.is((await train()).state, 'published');
  const ask = async (person: number, page: object = { page_type: 'home' }) => {
    const lists = [{ configuration_id: 'any', list_name: 'l', list_size: 10 }];
    const body = { device_id: 'd', user_id: `user${person}`, lists, ...page };
    const answer = await call<Answer>('POST', `${environment}/recommendations/requests`, body);
    return answer.lists[0].items.map(({ item_id: id }) => id);
  };
  for (const person of [0, 9, 30]) {
    const place = (await ask(person)).indexOf(`coffee${person % coffees}`);
    t.true(place >= 0 && place < 3, `place ${place} for user${person}`);
  }
  t.false((await ask(1)).includes('coffee1'), 'one who buys no coffee');
  const onPage = await ask(0, { page_type: 'detail', context_item: 'sofa3' });
  t.false(onPage.includes('coffee0'), 'a page about a sofa');

  const washersFor = async (person: number, page?: object) =>
    (await ask(person, page)).filter((id) => id.startsWith('washer')).length;
  for (const person of [2, 22]) t.true((await washersFor(person)) > 0, `user${person} still looks for one`);
  for (const person of [13, 43]) t.is(await washersFor(person), 0, `user${person} bought one yesterday`);
  t.true((await washersFor(13, { page_type: 'detail', context_item: 'washer3' })) > 0, 'a page about one');
});
