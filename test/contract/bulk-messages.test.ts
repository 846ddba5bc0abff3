/** Exports for default clients, which accept no message above 4 MiB. */

import test from 'ava';
import { createStreamClients, exchangeAll, exportEvents, readAll } from '../support/rpc-streams.ts';
import { testedService } from './support/tested-service.ts';

const service = testedService();

const note = '✓'.repeat(1_000);
/** 6 MB of them. */
const count = 2_000;
const places = Array.from({ length: count }, (_, place) => String(place).padStart(4, '0'));

const lines = (documents: object[]) =>
  documents.map((document, i) => ({ line: i + 1, json: JSON.stringify(document) }));

test('a catalogue of long texts is exported in messages that any client accepts', async (t) => {
  const rpc = createStreamClients(service);
  t.teardown(rpc.close);
  const items = places.map((id) => ({ item_type: 'article', item_id: id, description: note }));
  for (const half of [items.slice(0, count / 2), items.slice(count / 2)])
    await exchangeAll(rpc.items.importItems(rpc.metadata), [{ environment: 'news', items: lines(half) }]);
  const stream = rpc.items.exportItems({ environment: 'news', item_types: [] }, rpc.metadata);
  const exported = (await readAll(stream)).flatMap(({ items: some }) => some);
  t.deepEqual(
    exported.map(({ json }) => JSON.parse(json).item_id),
    places,
  );
});

test('so are large events', async (t) => {
  const rpc = createStreamClients(service);
  t.teardown(rpc.close);
  const visit = { event_type: 'page_visit', page_type: 'home', device_id: 'd' };
  const events = places.map((place, i) => ({ ...visit, timestamp: 1_600_000_000 + i, place, note }));
  for (const half of [events.slice(0, count / 2), events.slice(count / 2)])
    await exchangeAll(rpc.events.importEvents(rpc.metadata), [{ environment: 'news', events: lines(half) }]);
  const exported = await exportEvents(rpc, 'news');
  t.deepEqual(
    exported.map(({ place }) => place),
    places,
  );
});
