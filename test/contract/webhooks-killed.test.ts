/** A node is killed while it delivers: the next one delivers every change, with the same ids. */

import test from 'ava';
import { createTestDatabase } from '../support/database.ts';
import { addressOf } from '../support/database-address.ts';
import { createJsonClient } from '../support/json-client.ts';
import { startReceiver } from '../support/receiver.ts';
import { startServedProcess } from '../support/served-process.ts';

const deployment = `
webhooks: { allowed_networks: [127.0.0.1] }
environments: [ { name: shop, item_types: [ { name: product } ] } ]`;

test('changes that a killed node has not delivered arrive after its restart', async (t) => {
  const { connection, pool } = await createTestDatabase(t);
  const node = await startServedProcess({ deployment, databaseUrl: addressOf(connection) });
  t.teardown(node.remove);
  const receiver = await startReceiver(t);
  const hook = { url: receiver.url, kinds: ['items.changed'] };
  t.is((await createJsonClient(node).post('/shop/webhooks', hook)).status, 200);
  /** It takes the first change without an answer, so that the node is killed during the delivery. */
  receiver.answerWith(() => undefined);
  for (const id of ['a', 'b', 'c'])
    await createJsonClient(node).put(`/shop/items/product/${id}`, { title: id });
  await receiver.until(({ length }) => length > 0);
  await node.kill();
  await pool.query('update webhooks set leased_until = now() where leased_until is not null');
  const unanswered = receiver.received.splice(0).map(({ event }) => event.id);
  receiver.answerWith((response) => void response.writeHead(204).end());
  await node.restart();
  const itemsOf = () => receiver.received.flatMap(({ event }) => event.data.items as { item_id: string }[]);
  await receiver.until(() => new Set(itemsOf().map(({ item_id }) => item_id)).size === 3);
  const arrived = receiver.received.map(({ event }) => event.id);
  t.deepEqual(
    unanswered.filter((id) => !arrived.includes(id)),
    [],
  );
});
