/** A node is killed before a receiver has answered: the next one delivers the announcement, with the same id and users. */

import test from 'ava';
import { createTestDatabase } from '../support/database.ts';
import { addressOf } from '../support/database-address.ts';
import { createJsonClient } from '../support/json-client.ts';
import { startReceiver } from '../support/receiver.ts';
import { startServedProcess } from '../support/served-process.ts';

const deployment = `
webhooks: { allowed_networks: [127.0.0.1] }
environments: [ { name: news, item_types: [ { name: article } ] } ]`;

test('an announcement of a killed node arrives after its restart, once by its id', async (t) => {
  const { connection, pool } = await createTestDatabase(t);
  const node = await startServedProcess({ deployment, databaseUrl: addressOf(connection) });
  t.teardown(node.remove);
  const receiver = await startReceiver(t);
  const http = createJsonClient(node);
  await http.post('/news/webhooks', { url: receiver.url, kinds: ['interest.matched'] });
  t.is((await http.put('/news/interests/all', { items_per_user: 2 })).status, 200);
  const view = { event_type: 'detail_pageview', page_type: 'detail', action_item: 'old' };
  const events = ['anna', 'anna', 'anna', 'ben'].map((user_id) => ({ ...view, user_id, device_id: user_id }));
  t.is((await http.post('/news/events', { events })).status, 200);
  receiver.answerWith(() => undefined);
  await http.put('/news/items/article/first', { title: 'First' });
  await receiver.until(({ length }) => length > 0);
  await node.kill();
  for (const table of ['webhooks', 'interests'])
    await pool.query(`update ${table} set leased_until = now() where leased_until is not null`);
  const [before] = receiver.received.splice(0);
  receiver.answerWith((response) => void response.writeHead(204).end());
  await node.restart();
  await createJsonClient(node).put('/news/items/article/second', { title: 'Second' });
  await receiver.until((all) => all.some(({ event }) => event.data.item_id === 'second'));
  const firsts = receiver.received.filter(({ event }) => event.data.item_id === 'first');
  t.true(firsts.length > 0);
  const { id, data } = before.event;
  for (const { event } of firsts) t.like(event, { id, data });
  t.deepEqual(data.user_ids, ['anna']);
  await createJsonClient(node).put('/news/items/article/third', { title: 'Third' });
  await createJsonClient(node).put('/news/interests/end', {});
  await createJsonClient(node).put('/news/items/article/last', { title: 'Last' });
  await receiver.until((all) => all.some(({ event }) => event.data.interest_id === 'end'));
  const ofCapped = receiver.received.filter(({ event }) => event.data.interest_id === 'all');
  t.is(
    new Set(ofCapped.map(({ event }) => event.id)).size,
    2,
    'the cap counts what the killed node announced',
  );
});
